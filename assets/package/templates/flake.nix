{
  description = "@summary@";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      version = "@version@";
      archives = {
@archives@
      };
      package = system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
          archive = archives.${system};
        in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "@name@";
          inherit version;
          src = pkgs.fetchurl {
            url = "@releases@/v${version}/@name@-${version}-linux-${archive.machine}-portable.tar.xz";
            sha256 = archive.sha256;
          };
          # The archive has its libraries with it: they stay as they are.
          dontConfigure = true;
          dontBuild = true;
          dontFixup = true;
          installPhase = ''
            sh ./install.sh "$out"
          '';
          meta = {
            description = "@summary@";
            homepage = "@homepage@";
            license = [ @licenses@ ];
            mainProgram = "@name@";
            platforms = builtins.attrNames archives;
            sourceProvenance = [ nixpkgs.lib.sourceTypes.binaryNativeCode ];
          };
        };
    in
    {
      packages = builtins.mapAttrs
        (system: archive: {
          @name@ = package system;
          default = package system;
        })
        archives;
      apps = builtins.mapAttrs
        (system: archive: {
          default = {
            type = "app";
            program = "${self.packages.${system}.default}/bin/@name@";
          };
        })
        archives;
    };
}
