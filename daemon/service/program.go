package service

import "context"

// HostFlag is the flag of "filmspool run" that tells the program on Windows which process started
// it.
const HostFlag = "service-host"

// Program is the program that [Run] runs.
type Program struct {
	Host string   // the value of HostFlag
	Args []string // of the process, including its name
	Run  func(context.Context) error
	// Exit ends the process with the exit code for an error. It does not return.
	Exit func(error)
}
