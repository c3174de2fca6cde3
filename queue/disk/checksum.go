package disk

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"modernc.org/sqlite"
)

// Every connection of the program knows the function: the schema's triggers
// call it, and a driver of our own would have to be made anew for each pool.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("seal", -1,
		func(_ *sqlite.FunctionContext, columns []driver.Value) (driver.Value, error) { return seal(columns) })
}

// InsertSealed runs an INSERT whose last column is the sum of the first n.
func (t *Tx) InsertSealed(query string, n int, columns ...any) (id int64, err error) {
	sealed := make([]driver.Value, n)
	for i, column := range columns[:n] {
		if sealed[i], err = driver.DefaultParameterConverter.ConvertValue(column); err != nil {
			return 0, fmt.Errorf("write column %d: %w", i+1, err)
		}
	}
	sum, err := seal(sealed)
	if err != nil {
		return 0, err
	}
	return t.Insert(query, append(columns[:len(columns):len(columns)], sum)...)
}

// seal is a checksum of columns: CRC-32C over each one's type and bytes. It
// is there to find what a disk has changed, not what a person has.
func seal(columns []driver.Value) (int64, error) {
	buffer := make([]byte, 0, 512)
	for _, column := range columns {
		switch c := column.(type) {
		case nil:
			buffer = append(buffer, 'n')
		case int64:
			buffer = binary.LittleEndian.AppendUint64(append(buffer, 'i'), uint64(c))
		case float64:
			buffer = binary.LittleEndian.AppendUint64(append(buffer, 'f'), math.Float64bits(c))
		case string:
			buffer = binary.LittleEndian.AppendUint32(append(buffer, 't'), uint32(len(c)))
			buffer = append(buffer, c...)
		case []byte:
			buffer = binary.LittleEndian.AppendUint32(append(buffer, 'b'), uint32(len(c)))
			buffer = append(buffer, c...)
		default:
			return 0, fmt.Errorf("seal row: %T is no column", column)
		}
	}
	return int64(crc32.Checksum(buffer, crc32.MakeTable(crc32.Castagnoli))), nil
}
