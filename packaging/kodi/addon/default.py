# Kodi runs this when it starts and when the add-on is enabled. The work is done
# by the unit in system.d; this says, once, on the only screen there is, what
# the user has to know, and ends.

import subprocess

import xbmc
import xbmcaddon
import xbmcgui

HOME = "/storage/.kodi/addons/service.filmspool"
PATIENCE = 60  # seconds; the service starts beside Kodi


def complaint(program):
    """The sentence of "filmspool status" when it has something to say."""
    try:
        done = subprocess.run(
            ["/bin/sh", program, "status"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        return str(fault)
    if done.returncode == 0:
        return ""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else "status ended with %d" % done.returncode


def main():
    path = xbmcaddon.Addon().getAddonInfo("path").rstrip("/")
    if path != HOME:
        text = "Only for LibreELEC and CoreELEC: nothing was started"
    elif xbmc.Monitor().waitForAbort(PATIENCE):
        return
    else:
        text = complaint(path + "/bin/filmspool")
    if text:
        xbmc.log("service.filmspool: " + text, xbmc.LOGWARNING)
        xbmcgui.Dialog().notification("Filmspool", text, xbmcgui.NOTIFICATION_WARNING, 10000)


main()
