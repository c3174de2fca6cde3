package service

import "context"

// HostFlag is the flag of "filmspool run" that tells the program on Windows who
// started it.
const HostFlag = "service-host"

// Program is what [Run] runs.
type Program struct {
	Host string   // the value of HostFlag
	Args []string // of the program, its name first
	Run  func(context.Context) error
	// Exit ends the process as an error of Run does, without a return.
	Exit func(error)
}
