// Package doctor looks at one instance, and at the machine around it, when somebody
// asks. It looks at the service, the port, the rights of the folder and the
// configuration, and asks the instance how it stands.
//
// It owns these checks, and mends what the table of package health calls a fix. It
// promises to work while nothing runs, and to mend nothing else. It never touches the
// queue's content. A file that it removes is one that the next start would remove. It
// refuses to word a problem; package health does that.
package doctor
