package service

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shelter makes the folder of the machine's service, for that, administrators
// and Windows alone: in %ProgramData% everybody may make folders and read what
// others make. One that somebody else made first is refused.
func shelter(folder string) error {
	text := "O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + serviceSID(Name) + ")"
	descriptor, err := windows.SecurityDescriptorFromString(text)
	if err != nil {
		return fmt.Errorf("prepare state folder: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return fmt.Errorf("prepare state folder: %w", err)
	}
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return fmt.Errorf("prepare state folder: %w", err)
	}
	attributes := &windows.SecurityAttributes{SecurityDescriptor: descriptor}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	err = windows.CreateDirectory(path, attributes)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		err = takeOver(folder, descriptor)
	}
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return asked("prepare state folder", err)
	}
	if err != nil {
		return fmt.Errorf("prepare state folder %s: %w", folder, err)
	}
	return nil
}

// takeOver gives a folder that is there the same rights.
func takeOver(folder string, wanted *windows.SECURITY_DESCRIPTOR) error {
	now, err := windows.GetNamedSecurityInfo(folder, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := now.Owner()
	if err != nil {
		return err
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	if !owner.Equals(me.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) &&
		!owner.IsWellKnown(windows.WinLocalSystemSid) && owner.String() != serviceSID(Name) {
		return errors.New("it belongs to another user, who could read what is kept there; look at it, and remove or rename it")
	}
	administrators, _, err := wanted.Owner()
	if err != nil {
		return err
	}
	list, _, err := wanted.DACL()
	if err != nil {
		return err
	}
	const what = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	return windows.SetNamedSecurityInfo(folder, windows.SE_FILE_OBJECT, what, administrators, nil, list, nil)
}
