package notify

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// toast shows a notice under PowerShell's own name: only installed apps have another.
// The text comes from the environment, where nothing in it can be a command.
const toast = `
$ErrorActionPreference = 'Stop'
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$texts = $xml.GetElementsByTagName('text')
$null = $texts.Item(0).AppendChild($xml.CreateTextNode($env:FILMSPOOL_TITLE))
$null = $texts.Item(1).AppendChild($xml.CreateTextNode($env:FILMSPOOL_TEXT))
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($xml))
`

// Desktop shows notices on the desktop of the person who runs this process. The error
// says why that cannot work here.
func Desktop(func(string) string) (func(context.Context, Notice) error, error) {
	var session uint32
	if err := windows.ProcessIdToSessionId(uint32(os.Getpid()), &session); err != nil || session == 0 {
		return nil, errors.New("Filmspool runs for the whole machine here, and has no desktop")
	}
	folder, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, errors.New("Windows does not say where PowerShell is")
	}
	shell := filepath.Join(folder, "WindowsPowerShell", "v1.0", "powershell.exe")
	return func(ctx context.Context, n Notice) error {
		return execute(ctx, []string{shell, "-NoProfile", "-NonInteractive", "-Command", toast},
			"FILMSPOOL_TITLE="+n.Title, "FILMSPOOL_TEXT="+n.Text)
	}, nil
}
