package nudge

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// groups are the kernel's news of interfaces, addresses and routes.
const groups = unix.RTMGRP_LINK | unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR |
	unix.RTMGRP_IPV4_ROUTE | unix.RTMGRP_IPV6_ROUTE

// listen hears the kernel's news of the network. It needs no privileges, but
// a sandbox may refuse the socket.
func listen() (*ear, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink socket: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups}); err != nil {
		_ = unix.Close(fd) // it was never used
		return nil, fmt.Errorf("bind netlink socket: %w", err)
	}
	socket := os.NewFile(uintptr(fd), "netlink") // non-blocking, so that closing it ends a read
	news, done := make(chan bool), make(chan struct{})
	e := &ear{news: news, stop: sync.OnceFunc(func() { close(done); socket.Close() })}
	e.listen.Go(func() { hear(socket, news, done) })
	return e, nil
}

// hear reads messages until the socket is closed or fails. What the kernel
// could not hold for us is news too.
func hear(socket *os.File, news chan<- bool, done <-chan struct{}) {
	defer close(news)
	buffer := make([]byte, 64<<10) // more than a message ever has
	for {
		n, err := socket.Read(buffer)
		select {
		case <-done:
			return
		default:
		}
		overflow := errors.Is(err, unix.ENOBUFS)
		if err != nil && !overflow {
			return
		}
		select {
		case news <- overflow || certain(buffer[:n]):
		case <-done:
			return
		}
	}
}

// certain reports whether a default route came or went. All other news shows
// in the addresses, if it matters.
func certain(messages []byte) bool {
	parsed, err := syscall.ParseNetlinkMessage(messages)
	if err != nil {
		return true // better once too often
	}
	return slices.ContainsFunc(parsed, func(m syscall.NetlinkMessage) bool {
		route := m.Header.Type == unix.RTM_NEWROUTE || m.Header.Type == unix.RTM_DELROUTE
		// See struct rtmsg: the length of the destination, and the route's type.
		return route && len(m.Data) >= unix.SizeofRtMsg && m.Data[1] == 0 && m.Data[7] == unix.RTN_UNICAST
	})
}
