package disk

import (
	"context"
	"database/sql"
	"fmt"
)

// migrate brings the database to the last of scripts.
func migrate(ctx context.Context, conn *sql.Conn, scripts []string) error {
	from, err := version(ctx, conn)
	if err != nil {
		return err
	}
	for n := from; n < len(scripts); n++ {
		if err := apply(ctx, conn, scripts[n], n+1); err != nil {
			return fmt.Errorf("migrate to schema %d: %w: %w", n+1, ErrStorage, err)
		}
	}
	return nil
}

// apply runs one script and names its version in the same transaction.
func apply(ctx context.Context, conn *sql.Conn, script string, version int) error {
	transaction, err := conn.BeginTx(ctx, nil) // immediate, by the address
	if err != nil {
		return err
	}
	defer transaction.Rollback()
	if _, err := transaction.ExecContext(ctx, script); err != nil {
		return err
	}
	marks := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)
	if _, err := transaction.ExecContext(ctx, marks); err != nil {
		return err
	}
	return transaction.Commit()
}

// version is the version of the database's schema.
func version(ctx context.Context, conn *sql.Conn) (version int, err error) {
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, fmt.Errorf("read schema version: %w: %w", ErrStorage, err)
	}
	return version, nil
}
