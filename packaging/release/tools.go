package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// tool runs a program in a folder and returns what it printed. The error holds
// what it complained of.
func (r *release) tool(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// Neither the language nor the time zone of whoever makes a release may
	// show in it.
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC")
	if !r.when.IsZero() {
		cmd.Env = append(cmd.Env, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.when.Unix()))
	}
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", name, err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// goTool runs the go command with nothing of the caller's own settings that
// would change what it builds.
func (r *release) goTool(ctx context.Context, dir string, args ...string) (string, error) {
	return r.tool(ctx, dir, plainGo(), "go", args...)
}

// plainGo are the settings of a build that anybody can repeat.
func plainGo() []string {
	return []string{"GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG="}
}

// missing returns those of the tools that are not installed, as words.
func missing(names ...string) string {
	var lacking []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) == 0 {
		return ""
	}
	return "not installed: " + strings.Join(lacking, ", ")
}
