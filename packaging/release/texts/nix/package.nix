# nix-build -E 'with import <nixpkgs> { }; callPackage ./package.nix { }'
{ lib, stdenvNoCC, fetchurl, installShellFiles }:

let
  sources = {
    x86_64-linux = {
      url = "<< url "linux-amd64" >>";
      hash = "<< sri "linux-amd64" >>";
    };
    aarch64-linux = {
      url = "<< url "linux-arm64" >>";
      hash = "<< sri "linux-arm64" >>";
    };
    x86_64-darwin = {
      url = "<< url "darwin-amd64" >>";
      hash = "<< sri "darwin-amd64" >>";
    };
    aarch64-darwin = {
      url = "<< url "darwin-arm64" >>";
      hash = "<< sri "darwin-arm64" >>";
    };
  };
  system = stdenvNoCC.hostPlatform.system;
in
stdenvNoCC.mkDerivation {
  pname = "filmspool";
  version = "<< .Version >>";
  src = fetchurl (sources.${system} or (throw "filmspool: no archive for ${system}"));
  nativeBuildInputs = [ installShellFiles ];

  installPhase = ''
    runHook preInstall
    install -Dm755 filmspool $out/bin/filmspool
    installManPage man1/*.1
    installShellCompletion completions/filmspool.bash completions/filmspool.fish completions/_filmspool
    install -Dm644 -t $out/share/doc/filmspool LICENSE third-party.txt
    if [ -d systemd ]; then
      for kind in user system; do
        install -Dm644 systemd/$kind/filmspool.service $out/lib/systemd/$kind/filmspool.service
        substituteInPlace $out/lib/systemd/$kind/filmspool.service --replace-quiet /usr/bin/filmspool $out/bin/filmspool
      done
      # The program lies in the store, and the sandbox has to let it run.
      substituteInPlace $out/lib/systemd/system/filmspool.service --replace-quiet "/usr/lib /lib -/lib64" "-/usr/lib -/lib -/lib64"
    fi
    runHook postInstall
  '';

  meta = {
    description = "<< .Summary >>";
    homepage = "<< .Home >>";
    license = lib.licenses.mit;
    mainProgram = "filmspool";
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
