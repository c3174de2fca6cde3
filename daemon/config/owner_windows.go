package config

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// ownedByUser reports whether the folder belongs to the current user or to the administrators, who may
// read everything.
func ownedByUser(name string, _ fs.FileInfo) bool {
	descriptor, err := windows.GetNamedSecurityInfo(name, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	owner, _, err := descriptor.Owner()
	if err != nil {
		return false
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	return err == nil && owner.Equals(me.User.Sid) ||
		owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) || owner.IsWellKnown(windows.WinLocalSystemSid)
}

// isPrivate reports whether no other user may read or write the file.
func isPrivate(name string, _ fs.FileInfo) bool {
	descriptor, err := windows.GetNamedSecurityInfo(name, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	return err == nil && !exposed(descriptor.String())
}

// restrictAccess restricts a file or folder that other users could read to the current user: outside a
// profile, new files inherit the permissions of the drive's root.
func restrictAccess(name string) error {
	if isPrivate(name, nil) {
		return nil
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("keep others from %s: %w", name, err)
	}
	descriptor, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + me.User.Sid.String() + ")")
	if err != nil {
		return fmt.Errorf("keep others from %s: %w", name, err)
	}
	if err := setList(name, descriptor); err != nil {
		return fmt.Errorf("keep others from %s: %w", name, err)
	}
	return nil
}

// setList sets a file's access list exactly: functions that take a name may add inherited
// entries.
func setList(name string, descriptor *windows.SECURITY_DESCRIPTOR) error {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	file, err := windows.CreateFile(path, windows.READ_CONTROL|windows.WRITE_DAC, share, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0) // the flag opens folders, too
	if err != nil {
		return err
	}
	err = windows.SetKernelObjectSecurity(file, windows.DACL_SECURITY_INFORMATION, descriptor)
	return errors.Join(err, windows.CloseHandle(file))
}

// restrictCommand returns the command that makes a file private to the user, Windows and
// administrators. It uses their ids because names depend on the language.
func restrictCommand(name string) string {
	me := "%USERNAME%"
	if user, err := windows.GetCurrentProcessToken().GetTokenUser(); err == nil {
		me = "*" + user.User.Sid.String()
	}
	return fmt.Sprintf(`icacls "%s" /inheritance:r /grant:r %s:F *S-1-5-18:F *S-1-5-32-544:F`, name, me)
}

// writableByOthers returns false: restrictAccess sets the access lists.
func writableByOthers(fs.FileInfo) bool { return false }
