package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// rootfs is what a Containerfile of ours adds, and all that it adds.
const rootfs = "rootfs.tar /"

// readContainerfile reads how an image is run, with values for the file's
// arguments. It knows what ours need: one stage from scratch, one instruction
// a line, and lists in their JSON form.
func readContainerfile(path string, arguments map[string]string) (v1.Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return v1.Config{}, err
	}
	c := v1.Config{Volumes: map[string]struct{}{}, Labels: map[string]string{}}
	added := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		instruction, rest, _ := strings.Cut(line, " ")
		added = added || line == "ADD "+rootfs
		if err := instruct(&c, instruction, rest, arguments); err != nil {
			return c, fmt.Errorf("%s: %s: %w", path, line, err)
		}
	}
	if !added {
		return c, fmt.Errorf("%s does not add %s", path, rootfs)
	}
	return c, nil
}

// instruct follows one instruction.
func instruct(c *v1.Config, instruction, rest string, arguments map[string]string) error {
	rest = os.Expand(rest, func(name string) string { return arguments[name] })
	switch instruction {
	case "FROM", "ADD":
		if rest != "scratch" && rest != rootfs {
			return fmt.Errorf("nothing but scratch and %s", rootfs)
		}
	case "ARG":
		name, _, _ := strings.Cut(rest, "=")
		if arguments[name] == "" {
			return fmt.Errorf("no value for %s", name)
		}
	case "ENV":
		name, value, err := pair(rest)
		c.Env = append(c.Env, name+"="+value)
		return err
	case "LABEL":
		name, value, err := pair(rest)
		c.Labels[name] = value
		return err
	case "VOLUME":
		var folders []string
		err := json.Unmarshal([]byte(rest), &folders)
		for _, folder := range folders {
			c.Volumes[folder] = struct{}{}
		}
		return err
	case "ENTRYPOINT":
		return json.Unmarshal([]byte(rest), &c.Entrypoint)
	case "CMD":
		return json.Unmarshal([]byte(rest), &c.Cmd)
	case "USER":
		c.User = rest
	case "WORKDIR":
		c.WorkingDir = rest
	case "STOPSIGNAL":
		c.StopSignal = rest
	default:
		return fmt.Errorf("not an instruction this program knows")
	}
	return nil
}

// pair reads NAME=VALUE, with or without quotes.
func pair(text string) (name, value string, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return "", "", fmt.Errorf("not NAME=VALUE")
	}
	if strings.HasPrefix(value, `"`) {
		value, err = strconv.Unquote(value)
	}
	return name, value, err
}
