package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/filmspool/filmspool/daemon/control"
)

// desktopPatience is how long the desktop may take.
const desktopPatience = 10 * time.Second

// Desktop shows notices on the desktop of the person who runs this process. The error
// says why that cannot work here.
func Desktop(getenv func(string) string) (func(context.Context, Notice) error, error) {
	address, _, _ := strings.Cut(getenv("DBUS_SESSION_BUS_ADDRESS"), ";")
	if folder := getenv("XDG_RUNTIME_DIR"); address == "" && folder != "" {
		socket := filepath.Join(folder, "bus")
		if _, err := os.Stat(socket); err == nil {
			address = "unix:path=" + dbus.EscapeBusAddressValue(socket)
		}
	}
	// Other kinds of address would start programs, or go over the network.
	if !strings.HasPrefix(address, "unix:path=") && !strings.HasPrefix(address, "unix:abstract=") {
		return nil, errors.New("Filmspool runs here without a desktop: there is no session bus")
	}
	return func(ctx context.Context, n Notice) error {
		ctx, cancel := context.WithTimeout(ctx, desktopPatience)
		defer cancel()
		if err := show(ctx, address, n); err != nil {
			return unshown(cmp.Or(ctx.Err(), err))
		}
		return nil
	}, nil
}

// show speaks to the desktop as the specification of notifications has it
// (specifications.freedesktop.org/notification-spec).
func show(ctx context.Context, address string, n Notice) error {
	conn, err := dbus.Dial(address, dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Geteuid()))}); err != nil {
		return err
	}
	if err := conn.Hello(); err != nil {
		return err
	}
	const name = "org.freedesktop.Notifications"
	desktop := conn.Object(name, "/org/freedesktop/Notifications")
	var can []string
	if err := desktop.CallWithContext(ctx, name+".GetCapabilities", 0).Store(&can); err != nil {
		return err
	}
	text := n.Text
	if slices.Contains(can, "body-markup") { // else the desktop shows each letter as it is
		text = html.EscapeString(text)
	}
	urgency := byte(1)
	if n.Severity == control.NeedsYou {
		urgency = 2 // it stays until it was seen
	}
	return desktop.CallWithContext(ctx, name+".Notify", 0, "Filmspool", uint32(0), "", n.Title, text,
		[]string{}, map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency)}, int32(-1)).Err
}

// unshown says why the desktop showed nothing.
func unshown(err error) error {
	told, answered := errors.AsType[dbus.Error](err)
	_, unreached := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the desktop did not answer within %s", desktopPatience)
	case answered && strings.HasSuffix(told.Name, ".ServiceUnknown"):
		return errors.New("nobody shows notices on this desktop, or nobody is logged in")
	case unreached:
		return fmt.Errorf("the session bus cannot be reached: %w", err)
	default:
		return fmt.Errorf("the desktop did not show the notice: %w", err)
	}
}
