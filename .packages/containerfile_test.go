package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadContainerfile(t *testing.T) {
	c, err := readContainerfile("../packaging/container/Containerfile", map[string]string{"VERSION": "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	if c.User != "65532:65532" || c.WorkingDir != "/state" || len(c.Volumes) != 2 || len(c.Env) != 5 || len(c.Entrypoint) != 1 || len(c.Cmd) != 1 ||
		c.Labels["org.opencontainers.image.version"] != "1.2.3" || c.Labels["org.opencontainers.image.title"] != "Filmspool" || c.StopSignal != "SIGTERM" {
		t.Errorf("got %+v", c)
	}
}

// What is not understood must not be left out of the image in silence.
func TestReadContainerfileRefuses(t *testing.T) {
	for _, text := range []string{
		"FROM scratch\n",
		"FROM debian\nADD rootfs.tar /\n",
		"FROM scratch\nADD rootfs.tar /\nRUN true\n",
		"FROM scratch\nADD rootfs.tar /\nARG OTHER\n",
		"FROM scratch\nADD rootfs.tar /\nENV A B\n",
		"FROM scratch\nADD rootfs.tar /\nLABEL a=\"b\n",
		"FROM scratch\nADD rootfs.tar /\nCMD run\n",
		"FROM scratch\nADD rootfs.tar /\nVOLUME /state\n",
	} {
		path := filepath.Join(t.TempDir(), "Containerfile")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if c, err := readContainerfile(path, map[string]string{"VERSION": "1"}); err == nil {
			t.Errorf("%q was taken: %+v", text, c)
		}
	}
}
