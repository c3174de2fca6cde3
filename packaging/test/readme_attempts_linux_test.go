package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/packaging/readme"
)

// attempts are the commands of the README that are about something which has
// to be there first, or whose answer is worth a look.
func attempts() map[string]attempt {
	all := installing()
	for _, more := range []map[string]attempt{settingUp(), operating()} {
		for command, a := range more {
			all[command] = a
		}
	}
	return all
}

// installing are the tables and blocks of "Install it".
func installing() map[string]attempt {
	const logIn = "login --base-url https://tracker.example/api/v1"
	return map[string]attempt{
		"sudo apt install ./filmspool_0.1.0-1_amd64.deb": {after: (*reader).installed},
		"sudo apt remove filmspool": {after: func(r *reader) {
			if _, err := r.try("", "test", "-e", packaged); err == nil {
				r.t.Errorf("%s is there after its removal", packaged)
			}
			r.run("", "getent", "group", "filmspool") // which the README says
			r.run("", "sh", "-c", "apt-get install --yes /home/me/*.deb")
			r.installed()
		}},
		"sha256sum --check --ignore-missing SHA256SUMS": {says: ".deb: OK"},
		"filmspool " + logIn:                            {typed: (*reader).login, says: "The key is good"},
		"filmspool service install":                     {says: "installed"},
		"filmspool service start":                       {after: (*reader).up},
		"filmspool service restart":                     {after: (*reader).up},
		"filmspool service stop":                        {says: "stopped"},
		"filmspool pair":                                {says: "Type it into"},
		"filmspool status":                              {typed: (*reader).well},
		"filmspool service status":                      {says: "running"},
		"filmspool service logs":                        {says: "ready", after: (*reader).wrong},
		"filmspool service uninstall":                   {says: "removed", after: (*reader).uninstalled},
		"sudo filmspool --system service start":         {says: "started"},
		"filmspool --system " + logIn:                   {typed: (*reader).login, says: "The key is good"},
		"filmspool --system pair":                       {says: "Type it into"},
		"filmspool --system status":                     {typed: (*reader).well},
		"sudo filmspool --system service uninstall": {says: "removed", after: func(r *reader) {
			r.mine("filmspool service install && filmspool service start")
			r.up()
		}},
	}
}

// settingUp are the commands of the sections on sources and filters.
func settingUp() map[string]attempt {
	return map[string]attempt{
		"filmspool config path":    {says: "/home/me/.config/filmspool/config.toml", after: (*reader).configure},
		"filmspool kodi libraries": {says: "/home/me/.kodi/userdata"},
		"filmspool kodi scan":      {says: "films"},
		"filmspool kodi import":    {after: (*reader).resume},
		"filmspool sandbox":        {typed: serve, says: "/api/v1"},
	}
}

// operating are those that are about an entry or a file.
func operating() map[string]attempt {
	delivered := func(r *reader) { r.resume(); r.add("delivered") }
	held := func(r *reader) { r.waiting(); r.mine("filmspool queue hold " + r.words["ID"]) }
	return map[string]attempt{
		"filmspool queue explain ID": {before: delivered, says: "delivered"},
		"filmspool queue show ID":    {before: delivered, says: "delivered"},
		"filmspool queue retry ID": {
			before: func(r *reader) { r.resume(); r.arm("status:400"); r.add("rejected") }, after: becomes("delivered"),
		},
		"filmspool queue hold ID":             {before: (*reader).waiting, after: becomes("held")},
		"filmspool queue release ID":          {before: held, after: becomes("pending")},
		"filmspool queue drop ID":             {before: (*reader).waiting, after: becomes("dropped")},
		"filmspool queue edit ID --movie 603": {before: (*reader).waiting},
		"filmspool queue settle ID --as delivered": {
			before: func(r *reader) { r.resume(); r.arm("drop-before"); r.add("in_doubt") }, after: becomes("delivered"),
		},
		"filmspool queue undo ID": {before: delivered, after: becomes("dropped")},
		"filmspool queue export FILE": {before: func(r *reader) {
			r.words["FILE"] = r.mine("mktemp -u --tmpdir diary-XXXXXX.jsonl")
		}},
		"filmspool queue backup FILE": {before: func(r *reader) {
			r.words["FILE"] = r.mine("mktemp -u --tmpdir copy-XXXXXX.db")
		}},
		"filmspool clients revoke ID": {before: func(r *reader) {
			r.mine("filmspool clients add box")
			var clients []struct{ ID string }
			if err := json.Unmarshal([]byte(r.mine("filmspool clients list --json")), &clients); err != nil || len(clients) == 0 {
				r.t.Fatalf("%v: no client", err)
			}
			r.words["ID"] = clients[0].ID
		}, says: "revoked"},
		"filmspool resume":                     {after: func(r *reader) { r.mine("filmspool pause && filmspool resume") }},
		"filmspool completion bash":            {says: "complete"},
		"filmspool config check":               {says: "good"},
		"filmspool queue hold --state pending": {after: func(r *reader) { r.mine("filmspool queue release --all") }},
	}
}

func becomes(state string) func(*reader) { return func(r *reader) { r.becomes(state) } }

// resume lets everything leave, so that what comes next is alone.
func (r *reader) resume() {
	r.t.Helper()
	r.mine("filmspool resume")
	eventually(r.t, "end of what waited", 30*time.Second, func() bool {
		var s struct {
			Counts struct{ Pending, Sending *int }
		}
		said, _ := r.shell("me", "filmspool status --json")
		err := json.Unmarshal([]byte(said), &s)
		return err == nil && s.Counts.Pending != nil && s.Counts.Sending != nil && *s.Counts.Pending+*s.Counts.Sending == 0
	})
}

// well wants a status as the README shows it, until something is delivered. Once
// some of its examples wait for the person, the status says so.
func (r *reader) well(line string) (string, error) {
	said, err := r.shell("me", line)
	if r.films > noFilms {
		if err != nil && strings.Contains(err.Error(), "exit status 4") {
			err = nil
		}
		return said, err
	}
	arrived, lost := r.history()
	if err = errors.Join(err, lost); err != nil {
		return said, err
	}
	want, _, _ := strings.Cut(readme.Blocks(r.page, "text")[0].Text, "\n")
	if len(arrived) > 0 {
		want = "All is delivered."
	}
	if !strings.HasPrefix(said, want+"\n") {
		return said, fmt.Errorf("the status does not begin with %q", want)
	}
	return said, nil
}

// installed wants the package's program in the path, and bash to complete its
// commands.
func (r *reader) installed() {
	r.t.Helper()
	r.mine(". /usr/share/bash-completion/completions/filmspool && complete -p filmspool")
	if got := r.mine("command -v filmspool && filmspool version"); !strings.HasPrefix(got, packaged+"\nfilmspool ") {
		r.t.Errorf("after the installation: %s", got)
	}
}

// up wants an instance that answers.
func (r *reader) up() {
	r.t.Helper()
	r.mine("filmspool status >status || test $? = 4")
}

// wrong has a mistake in the settings, and wants to be told of it as the README
// shows.
func (r *reader) wrong() {
	r.t.Helper()
	r.mine("mkdir -p .config/filmspool && echo 'lisen = 1' >.config/filmspool/config.toml")
	if said, err := r.shell("me", "filmspool service restart"); err == nil {
		r.t.Errorf("restarted with a mistake in its settings: %s", said)
	}
	said, err := r.shell("me", "filmspool service status")
	if shown := readme.Blocks(r.page, "text")[1].Text; said != shown || !strings.Contains(err.Error(), "exit status 3") {
		r.t.Errorf("with a mistake in its settings: %v\nthe README shows:\n%s", err, shown)
	}
	r.mine("rm .config/filmspool/config.toml && filmspool service start")
	r.up()
}

// uninstalled wants nothing of it left in the home. The first time makes way for
// the machine's service; after the second, the reader goes on with their own.
func (r *reader) uninstalled() {
	r.t.Helper()
	if left := r.mine("find .config/systemd -name '*filmspool*'"); left != "" {
		r.t.Errorf("left in the home: %s", left)
	}
	if r.removals++; r.removals == 2 {
		r.mine("filmspool service install && filmspool service start")
		r.up()
	}
}

// configure puts the README's first settings in their place.
func (r *reader) configure() {
	r.t.Helper()
	first := readme.Blocks(r.page, "toml")[0]
	r.run(first.Text, "sh", "-c", "install -d -o me -g me /home/me/.config/filmspool && cat >/home/me/.config/filmspool/config.toml")
	r.mine("filmspool service restart")
}
