package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/entry"
)

// command is a row of the table of commands. The catalogue has its texts, with the prefixes
// "help." and "flag.".
type command struct {
	use        string // name and arguments: [optional], repeated…
	flags      string // names of flags; those joined by "|" are exclusive
	suggestFor string // words for which it is suggested
	example    string
	run        func(ctx context.Context, args []string) error // nil prints the help
	check      cobra.PositionalArgs                           // nil checks the arguments against use
	verb       entry.Verb                                     // its arguments are entries to which this verb applies
	below      []command
	hidden     bool
}

// commands returns the table of commands, in the order of the help.
func (p *program) commands() []command {
	const orders = "state reason account source kind all dry-run yes json"
	return []command{
		{use: "open", flags: "print start json", suggestFor: "setup web stats statistics", run: p.open},
		{
			use: "login [ADDRESS]", flags: "base-url account tmdb key-stdin", suggestFor: "logout connect auth key",
			run: p.login, check: p.checkLogin,
			example: "  filmspool login https://tracker.example/api/v1\n  filmspool login --key-stdin < key.txt\n  filmspool login --tmdb",
		},
		{
			use: "status", flags: "seen|all|report|year json", suggestFor: "doctor support info health accounts whoami",
			run: p.status, check: p.checkYear,
		},
		{
			use: "diary [WORDS]…", flags: "state reason account source kind since limit json",
			suggestFor: "list ls history queue search watched", run: p.diary,
			example: "  filmspool diary matrix\n  filmspool diary --since yesterday\n  filmspool diary --state held",
		},
		{use: "show ID", flags: "json", suggestFor: "explain entry", run: p.showEntry},
		{
			use: "add TITLE|NUMBER|ADDRESS… [S01E02] [WHEN]…", flags: "watchlist|list series choose json",
			suggestFor: "watchlist want log watch movie film episode", run: p.add,
			example: `  filmspool add Heat 1995 last night
  filmspool add "Breaking Bad" S01E02 friday 20:15
  filmspool add https://www.themoviedb.org/tv/1396 --watchlist
  filmspool add 603 --list Noir`,
		},
		{
			use: "fix ID [WHAT]…", flags: "choose watched-at account delivered list forget dry-run yes json",
			suggestFor: "edit correct rules settle resolve rename", run: p.fix, check: p.checkFix, verb: entry.VerbFix,
			example: `  filmspool fix 12 603
  filmspool fix 12 "The Matrix (1999)"
  filmspool fix 12 Breaking Bad S01E08
  filmspool fix 12 --watched-at "yesterday 20:15"`,
		},
		{
			use: "send [ID]…", flags: orders + " may-double", suggestFor: "retry release approve keep",
			run: p.order(entry.VerbSend), verb: entry.VerbSend,
			example: "  filmspool send 12 13\n  filmspool send --reason bulk\n  filmspool send --all",
		},
		{
			use: "drop [ID]…", flags: orders, suggestFor: "remove delete rm reject", run: p.order(entry.VerbDrop), verb: entry.VerbDrop,
			example: "  filmspool drop 12\n  filmspool drop --reason backdated --yes",
		},
		{
			use: "undo ID…", flags: "dry-run json", suggestFor: "unwatch", run: p.undo, verb: entry.VerbUndo,
			example: "  filmspool undo 12 --dry-run",
		},
		{
			use: "pause [SPAN|until TIME]…", flags: "account drop json", run: p.pause,
			example: "  filmspool pause 2h\n  filmspool pause until 23:00 --drop",
		},
		{use: "resume", flags: "account json", run: p.resume},
		{use: "sources", flags: "json", suggestFor: "pair kodi programs clients browsers devices", run: p.listSources, below: []command{
			{use: "pair", flags: "json", run: p.pair},
			{use: "kodi", flags: "json", run: p.listKodi, below: []command{
				{use: "list", flags: "json", run: p.listKodi},
				{use: "add PATH", run: p.changeKodi("add")},
				{use: "remove PATH", run: p.changeKodi("remove")},
			}},
			{use: "programs", flags: "json", run: p.listPrograms, below: []command{
				{use: "list", flags: "json", run: p.listPrograms},
				{use: "add NAME", flags: "hook json", run: p.addProgram},
				{use: "remove ID|NAME", suggestFor: "revoke delete", run: p.removeProgram},
			}},
			{use: "untitled", flags: "json", run: p.listUntitled, below: []command{
				{use: "list", flags: "json", run: p.listUntitled},
				{use: "add SITE", run: p.changeUntitled("add")},
				{use: "remove SITE", run: p.changeUntitled("remove")},
			}},
			{use: "rename ID|NAME|PATH NEW", run: p.renameSource},
		}},
		{
			use: "import FILE…", flags: "dry-run yes dates person json", run: p.importFiles,
			example: "  filmspool import export-trakt.zip --dry-run\n  filmspool import NetflixViewingHistory.csv --dates day-first",
			below: []command{{
				use: "kodi", flags: "dry-run yes nfo since json", run: p.importKodi,
				example: "  filmspool import kodi --dry-run\n  filmspool import kodi --since 2024-01-01\n  filmspool import kodi --nfo /srv/films --dry-run",
			}},
		},
		{
			use: "export [FILE]", flags: "format since until", run: p.export,
			example: "  filmspool export diary.jsonl\n  filmspool export --format letterboxd --since 2026-01-01 films.csv",
		},
		{
			use: "move", flags: "from to dry-run yes json", suggestFor: "migrate copy sync", run: p.move,
			example: "  filmspool move --from default --to new",
		},
		{use: "backup FILE", run: p.backup},
		{use: "config", below: []command{
			{use: "check", flags: "json", run: p.checkConfig},
			{use: "show", flags: "json", suggestFor: "get list", run: p.showConfig},
			{use: "path", flags: "json", run: p.showPaths},
			{use: "example", run: p.showExample},
			{use: "set KEY [VALUE]…", flags: "json", suggestFor: "unset", run: p.setConfig, example: "  filmspool config set replay.grace 10m"},
			{use: "reload", run: p.reloadConfig},
		}},
		{use: "service", suggestFor: "install uninstall start stop restart logs", below: []command{
			{
				use: service.Install, flags: "linger", run: p.installService,
				example: "  filmspool service install && filmspool service start\n  sudo filmspool --system service install",
			},
			{use: service.Uninstall, run: p.doService(service.Uninstall)},
			{use: service.Start, run: p.doService(service.Start)},
			{use: service.Stop, run: p.doService(service.Stop)},
			{use: service.Restart, run: p.doService(service.Restart)},
			{use: "status", flags: "json", run: p.serviceStatus},
			{use: "logs", flags: "follow", run: p.serviceLogs},
		}},
		{use: "run", flags: "listen " + service.LogFlag + " " + service.HostFlag, run: p.runService},
		{use: "demo", flags: "once json", run: p.demo},
		{use: "sandbox", flags: "listen secret-key public-key contract-only faults", run: p.sandbox},
		{
			use: "identify", flags: "json", run: p.identify, hidden: true,
			example: `  echo '{"kind":"movie","title":"Heat","year":1995}' | filmspool identify --json`,
		},
		{use: "version", flags: "json", run: p.showVersion},
	}
}

// given contains the values of the flags of the running command.
type given struct {
	json, yes, dryRun, all                                             bool
	print, start, tmdb, keyStdin, report, delivered, corrections       bool
	watchlist, series, mayDouble, drop, linger, follow                 bool
	contractOnly, faults, once                                         bool
	account, state, reason, source, kind, since, baseURL, year, onList string
	watchedAt, hook, listen, log, host, secretKey, publicKey           string
	dates, person, nfo, format, until, from, to                        string
	choose, limit                                                      int
	seen, forget                                                       int64
}

// values maps flags to their variables. A key with the name of a command takes precedence.
func (p *program) values() map[string]any {
	g := &p.given
	return map[string]any{
		"json": &g.json, "yes": &g.yes, "dry-run": &g.dryRun, "all": &g.all, "account": &g.account,
		"state": &g.state, "reason": &g.reason, "source": &g.source, "kind": &g.kind, "since": &g.since, "limit": &g.limit,
		"print": &g.print, "start": &g.start,
		"base-url": &g.baseURL, "tmdb": &g.tmdb, "key-stdin": &g.keyStdin,
		"seen": &g.seen, "report": &g.report, "year": &g.year,
		"watchlist": &g.watchlist, "list": &g.onList, "series": &g.series, "choose": &g.choose,
		"watched-at": &g.watchedAt, "delivered": &g.delivered, "fix.list": &g.corrections, "forget": &g.forget,
		"may-double": &g.mayDouble, "drop": &g.drop, "hook": &g.hook, "linger": &g.linger, "follow": &g.follow,
		"listen": &g.listen, service.LogFlag: &g.log, service.HostFlag: &g.host, "once": &g.once,
		"dates": &g.dates, "person": &g.person, "nfo": &g.nfo, "format": &g.format, "until": &g.until, "from": &g.from, "to": &g.to,
		"secret-key": &g.secretKey, "public-key": &g.publicKey, "contract-only": &g.contractOnly, "faults": &g.faults,
	}
}

// addCommands adds rows of the table to a parent.
func (p *program) addCommands(parent *cobra.Command, rows []command) {
	values := p.values()
	for _, row := range rows {
		c := &cobra.Command{
			Use: row.use, Example: row.example, SuggestFor: strings.Fields(row.suggestFor), Hidden: row.hidden, DisableFlagsInUseLine: true, Args: p.checkArgs,
		}
		if row.check != nil {
			c.Args = row.check
		}
		c.RunE = func(c *cobra.Command, args []string) error {
			if row.run == nil {
				return c.Help()
			}
			return row.run(c.Context(), args)
		}
		if row.verb != "" {
			c.ValidArgsFunction = p.completeIDs(row.verb)
		}
		parent.AddCommand(c)
		for alternatives := range strings.FieldsSeq(row.flags) {
			names := strings.Split(alternatives, "|")
			if len(names) > 1 {
				c.PreRunE = exclusive(names)
			}
			for _, name := range names {
				value, own := values[c.Name()+"."+name]
				if !own {
					value = values[name]
				}
				addFlag(c.Flags(), name, value)
			}
		}
		p.addCommands(c, row.below)
	}
}

// addFlag adds a flag with its variable.
func addFlag(f *pflag.FlagSet, name string, value any) {
	switch value := value.(type) {
	case *bool:
		f.BoolVarP(value, name, map[string]string{"follow": "f"}[name], false, "")
	case *string:
		f.StringVar(value, name, "", "")
	case *int:
		f.IntVar(value, name, 0, "")
	case *int64:
		f.Int64Var(value, name, 0, "")
	}
	switch name {
	case "year":
		f.Lookup(name).NoOptDefVal = strconv.Itoa(time.Now().Year())
	case service.HostFlag:
		f.Lookup(name).Hidden = true
	}
}
