package config

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// ours reports whether the folder belongs to whoever runs this program, or to
// the machine's administrators, who may read everything anyway.
func ours(name string, _ fs.FileInfo) bool {
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

// private reports whether no other people may read or write the file.
func private(name string, _ fs.FileInfo) bool {
	descriptor, err := windows.GetNamedSecurityInfo(name, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	return err == nil && !exposed(descriptor.String())
}

// shield keeps other people from a file or folder that they could read: one
// outside a profile, where what is made inherits the rights of a drive's root.
func shield(name string) error {
	if private(name, nil) {
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

// setList sets a file's access list as it is written: the calls that take a name
// may add the folder's.
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

// howToShield is the command that makes a file private: for this user, Windows
// and administrators, whatever they are called in this language.
func howToShield(name string) string {
	me := "%USERNAME%"
	if user, err := windows.GetCurrentProcessToken().GetTokenUser(); err == nil {
		me = "*" + user.User.Sid.String()
	}
	return fmt.Sprintf(`icacls "%s" /inheritance:r /grant:r %s:F *S-1-5-18:F *S-1-5-32-544:F`, name, me)
}

// changeable is always false: access lists say it, and shield sets them.
func changeable(fs.FileInfo) bool { return false }
