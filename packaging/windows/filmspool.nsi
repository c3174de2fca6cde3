; Filmspool for one person, made by makensis. It needs no administrator, starts
; Filmspool with the login and at once, and leaves viewings, keys and settings
; when it is removed.

!include MUI2.nsh
Unicode true
SetCompressor /SOLID lzma
RequestExecutionLevel user
SetDateSave off ; the same source makes the same installer
ManifestDPIAware true

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Filmspool"

Name "Filmspool"
OutFile "packaging/build/filmspool-${VERSION}-windows-amd64-setup.exe"
InstallDir "$LOCALAPPDATA\Programs\Filmspool"
ShowInstDetails nevershow
ShowUninstDetails nevershow

VIProductVersion "${NUMBERS}"
VIAddVersionKey "ProductName" "Filmspool"
VIAddVersionKey "CompanyName" "Filmspool maintainers"
VIAddVersionKey "FileDescription" "Filmspool, installer"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT licence"

!define MUI_FINISHPAGE_TITLE "Filmspool is installed"
!define MUI_FINISHPAGE_TEXT "$0"
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "Open Filmspool"
!define MUI_FINISHPAGE_RUN_FUNCTION open
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English

; Without the window of a terminal. What goes wrong is shown in the browser.
Function open
  nsExec::Exec '"$INSTDIR\filmspool.exe" open --start'
  Pop $1
FunctionEnd

; The user's own PATH, by a tool that keeps long ones whole.
!macro Path How
  nsExec::Exec `powershell -NoProfile -NonInteractive -Command "$$d='$INSTDIR'; $$p=@([Environment]::GetEnvironmentVariable('Path','User') -split ';' | Where-Object { $$_ -and $$_ -ne $$d }); ${How}; [Environment]::SetEnvironmentVariable('Path', ($$p -join ';'), 'User')"`
  Pop $0
!macroend

Section
  ; A program that runs cannot be replaced.
  IfFileExists "$INSTDIR\filmspool.exe" 0 fresh
    nsExec::Exec '"$INSTDIR\filmspool.exe" service stop'
    Pop $0
  fresh:
  SetOutPath "$INSTDIR"
  ClearErrors
  SetOverwrite try
  File "/oname=filmspool.exe" "${PROGRAM}"
  IfErrors 0 placed
    MessageBox MB_OK|MB_ICONSTOP "$INSTDIR\filmspool.exe is in use. Close the terminals that run it, and start this again." /SD IDOK
    SetErrorLevel 2
    Abort
  placed:
  SetOverwrite on
  File "/oname=LICENSE.txt" "LICENSE"
  File "/oname=third-party.txt" "packaging/build/third-party.txt"
  WriteUninstaller "$INSTDIR\uninstall.exe"

  WriteRegStr HKCU "${KEY}" "DisplayName" "Filmspool"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "Publisher" "Filmspool maintainers"
  WriteRegStr HKCU "${KEY}" "URLInfoAbout" "https://github.com/filmspool/filmspool"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1

  CreateShortcut "$SMPROGRAMS\Filmspool.lnk" "$INSTDIR\filmspool.exe" "open --start" "$INSTDIR\filmspool.exe" 0 SW_SHOWMINIMIZED "" "Keeps your film and TV diary"
  !insertmacro Path "$$p += $$d"
  nsExec::ExecToStack '"$INSTDIR\filmspool.exe" service install'
  Pop $0
  Pop $1
  StrCmp $0 0 0 failed
  nsExec::ExecToStack '"$INSTDIR\filmspool.exe" service start'
  Pop $0
  Pop $1
  StrCmp $0 0 0 failed
  StrCpy $0 "It runs, and starts with your login. Its page says what comes next. You find it in the start menu, too."
  Goto done
  failed:
  MessageBox MB_OK|MB_ICONEXCLAMATION "Filmspool is installed, but does not run:$\n$\n$1" /SD IDOK
  SetErrorLevel 3
  StrCpy $0 "It does not run yet. Open it to see why."
  done:
SectionEnd

Section "Uninstall"
  nsExec::Exec '"$INSTDIR\filmspool.exe" service uninstall'
  Pop $0
  !insertmacro Path ""
  Delete "$SMPROGRAMS\Filmspool.lnk"
  Delete "$INSTDIR\filmspool.exe"
  Delete "$INSTDIR\LICENSE.txt"
  Delete "$INSTDIR\third-party.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${KEY}"
  MessageBox MB_OK "Your viewings, keys and settings stay in $LOCALAPPDATA\Filmspool and $APPDATA\filmspool." /SD IDOK
SectionEnd
