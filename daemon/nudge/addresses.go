package nudge

import (
	"net"
	"os"
	"slices"
	"strings"
)

// addresses is how the machine stands in the network, to be compared: the
// addresses by which it can reach others, and on which interfaces. Those that
// lead nowhere are left out, or every container that starts would count.
func addresses() string {
	interfaces, err := net.Interfaces()
	if err != nil {
		return tables()
	}
	var lines []string
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		list, _ := i.Addrs() // one that has just gone has none
		for _, a := range list {
			if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
				lines = append(lines, i.Name+" "+running(i)+" "+n.String())
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// running tells a plugged cable from a pulled one.
func running(i net.Interface) string {
	if i.Flags&net.FlagRunning != 0 {
		return "running"
	}
	return "up"
}

// tables are Linux's own files, for whoever may not ask the kernel itself.
// Where they are missing too nothing ever changes.
func tables() string {
	var all strings.Builder
	for _, name := range []string{"/proc/net/route", "/proc/net/if_inet6"} {
		text, _ := os.ReadFile(name)
		all.Write(text)
	}
	return all.String()
}
