// Package doctor looks at one instance, and at the machine around it, when somebody
// asks. It looks at the service, the port, the rights of the folder and the
// configuration, and asks the instance how it stands.
//
// It changes nothing, and works while nothing runs. Package health words what it finds.
package doctor
