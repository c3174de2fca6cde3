package test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

// entry is Filmspool in the start menu. Windows puts that of the MSI into the menu of
// everybody; Wine knows only the person's own.
const entry = `C:\users\kid\AppData\Roaming\Microsoft\Windows\Start Menu\Programs\Filmspool.lnk`

// wineTold is where the browser of this Windows notes what it is told to open.
const wineTold = "/tmp/told"

// here is where a file of Windows lies in the machine.
func here(name string) string {
	return wineDrive + strings.ReplaceAll(strings.TrimPrefix(name, `C:\`), `\`, "/")
}

// browserOfWindows puts a browser there, which Wine calls by the usual name.
func (w *wine) browserOfWindows() {
	w.t.Helper()
	w.run("#!/bin/sh\nprintf '%s\\n' \"$1\" >"+wineTold+".new && mv "+wineTold+".new "+wineTold+"\n",
		"sh", "-c", "cat >/usr/local/bin/xdg-open && chmod 755 /usr/local/bin/xdg-open")
}

// opensBy does what leads to the page: the browser comes to the first step of
// setup, and the person's own service of that program runs.
func (w *wine) opensBy(program string, does func()) {
	w.t.Helper()
	if page := w.follows(w.toldBy(does)); !strings.Contains(page, "Step 1 of 5") {
		w.t.Errorf("the browser comes to:\n%s", page)
	}
	runs, login := w.windows(program, "service", "status"), w.windows("reg", "query", `HKCU\Software\Microsoft\Windows\CurrentVersion\Run`)
	if !strings.HasPrefix(runs, "running") || !strings.Contains(strings.ReplaceAll(login, `"`, ""), program+" run --service-host=login") {
		w.t.Errorf("after that, the person's own service is %s\nand a login starts %s", runs, login)
	}
}

// toldBy does something, and returns the file that the browser is told to open then.
func (w *wine) toldBy(does func()) (file string) {
	w.t.Helper()
	w.run("", "rm", "-f", wineTold)
	does()
	eventually(w.t, "browser that is told what to open", 2*time.Minute, func() bool {
		told, err := os.ReadFile(w.path(wineTold))
		file = w.path(strings.TrimPrefix(strings.TrimSpace(string(told)), "file://"))
		return err == nil
	})
	return file
}

// chooses opens the entry of the start menu, as Windows does when it is clicked.
func (w *wine) chooses() {
	w.t.Helper()
	link, err := os.ReadFile(w.path(here(entry)))
	if err != nil || len(link) < 76 {
		w.t.Fatalf("the start menu has no Filmspool: %v", err)
	}
	const minimized = 7 // SW_SHOWMINNOACTIVE: no window of a terminal is in the way
	if show := binary.LittleEndian.Uint32(link[60:]); show != minimized {
		w.t.Errorf("the entry opens a window of kind %d", show)
	}
	w.windows("start", entry)
}

// firstRun: somebody who has never used a terminal chooses Filmspool in the start menu,
// and comes by the page alone to a delivered episode. All of that is forgotten then.
func (w *wine) firstRun() {
	w.t.Helper()
	i := &instance{machine: w.machine, port: winePort + 1}
	w.background("tracker", "wine", exe, "sandbox", "--listen", fmt.Sprintf("127.0.0.1:%d", i.port),
		"--state-dir", `C:\tracker`, "--secret-key", secretKey, "--public-key", publicKey)
	eventually(w.t, "tracking service", 30*time.Second, func() bool {
		_, err := i.history()
		return err == nil
	})
	screen := w.besideABrowser(i.port)
	screen.open(w.toldBy(w.chooses))
	screen.hear("delivered")
	screen.leave()
	i.oneEpisode()
	w.windows(setupProgram, "service", "stop")
	if err := os.RemoveAll(w.path(wineLocal)); err != nil {
		w.t.Fatal(err)
	}
	w.windows(setupProgram, "service", "uninstall")
}

// follows goes where a browser goes that opens that file, and returns the page.
func (w *wine) follows(file string) string {
	w.t.Helper()
	text, err := os.ReadFile(file)
	form := regexp.MustCompile(`action="([^"]+)/in".*name="ticket" value="([^"]+)"`).FindSubmatch(text)
	if err != nil || form == nil {
		w.t.Fatalf("the browser is told to open %s, which leads nowhere: %v", file, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address) // every name under .localhost is this machine
			if err != nil {
				return nil, err
			}
			return w.connect(ctx, network, "127.0.0.1:"+port)
		},
	}}
	answer, err := client.PostForm(string(form[1])+"/in", url.Values{"ticket": {string(form[2])}})
	if err != nil {
		w.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer, err = client.Get(string(form[1]) + "/"); err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(page)
}
