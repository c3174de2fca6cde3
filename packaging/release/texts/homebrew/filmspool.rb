class Filmspool < Formula
  desc "<< .Summary >>"
  homepage "<< .Home >>"
  version "<< .Version >>"
  license "MIT"

  on_macos do
    on_arm do
      url "<< url "darwin-arm64" >>"
      sha256 "<< sum "darwin-arm64" >>"
    end
    on_intel do
      url "<< url "darwin-amd64" >>"
      sha256 "<< sum "darwin-amd64" >>"
    end
  end

  on_linux do
    on_arm do
      url "<< url "linux-arm64" >>"
      sha256 "<< sum "linux-arm64" >>"
    end
    on_intel do
      url "<< url "linux-amd64" >>"
      sha256 "<< sum "linux-amd64" >>"
    end
  end

  def install
    bin.install "filmspool"
    man1.install Dir["man1/*.1"]
    bash_completion.install "completions/filmspool.bash" => "filmspool"
    zsh_completion.install "completions/_filmspool"
    fish_completion.install "completions/filmspool.fish"
  end

  def caveats
    << "<<~EOS" >>
      Viewings, keys and settings stay when the formula is removed:
        macOS: ~/Library/Application Support/Filmspool and ~/Library/Application Support/filmspool
        Linux: ~/.local/state/filmspool and ~/.config/filmspool
    EOS
  end

  service do
    run [opt_bin/"filmspool", "run", "--log-file=#{var}/log/filmspool.log"]
    keep_alive crashed: true
    process_type :background
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/filmspool version")
  end
end
