import KettleControl
import Testing

struct ServicePathsTests {
  private func paths(
    _ environment: [String: String], passwordHome: String = "/home/pw",
    userDirectories: String? = nil
  ) -> ServicePaths {
    ServicePaths(
      environment: environment, passwordHome: passwordHome, userDirectories: userDirectories)
  }

  @Test func `without variables all paths are in the home of the password database`() {
    let found = paths([:])
    #expect(found.homeDirectory == "/home/pw")
    #expect(found.stateDirectory == "/home/pw/.local/state/kettle")
    #expect(found.storePath == "/home/pw/.local/state/kettle/store.sqlite")
    #expect(found.lockPath == "/home/pw/.local/state/kettle/service.lock")
    #expect(found.logPath == "/home/pw/.local/state/kettle/service.log")
    #expect(found.heldDirectory == "/home/pw/.local/state/kettle/held")
    #expect(found.watchedPath == "/home/pw/.local/state/kettle/watched")
    #expect(found.choicesPath == "/home/pw/.local/state/kettle/dashboard.json")
    #expect(found.runtimeDirectory == "/home/pw/.local/state/kettle/run")
    #expect(found.socketPath == "/home/pw/.local/state/kettle/run/control.sock")
    #expect(found.configPath == "/home/pw/.config/kettle/config.toml")
    #expect(found.themePath(of: "mine") == "/home/pw/.config/kettle/themes/mine.toml")
    #expect(found.documentsDirectory == "/home/pw/Downloads")
  }

  @Test func `each variable moves only its own paths`() {
    let home = "/home/u"
    let base = paths(["HOME": home])
    #expect(base.homeDirectory == home)
    var expected = base
    expected.stateDirectory = "/s/kettle"
    expected.storePath = "/s/kettle/store.sqlite"
    expected.lockPath = "/s/kettle/service.lock"
    expected.logPath = "/s/kettle/service.log"
    expected.runtimeDirectory = "/s/kettle/run"
    expected.socketPath = "/s/kettle/run/control.sock"
    #expect(paths(["HOME": home, "XDG_STATE_HOME": "/s/"]) == expected)

    expected = base
    expected.runtimeDirectory = "/run/user/7/kettle"
    expected.socketPath = "/run/user/7/kettle/control.sock"
    #expect(paths(["HOME": home, "XDG_RUNTIME_DIR": "/run/user/7"]) == expected)

    expected = base
    expected.configPath = "/c/kettle/config.toml"
    #expect(paths(["HOME": home, "XDG_CONFIG_HOME": "/c"]) == expected)

    expected = base
    expected.documentsDirectory = "/d/loads"
    #expect(paths(["HOME": home, "XDG_DOWNLOAD_DIR": "/d/loads//"]) == expected)
  }

  @Test(arguments: ["", "relative", "./here", "~", "$HOME/x"])
  func `a value that is not an absolute path counts as not set`(value: String) {
    let names = [
      "HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DOWNLOAD_DIR",
    ]
    #expect(paths(Dictionary(uniqueKeysWithValues: names.map { ($0, value) })) == paths([:]))
  }

  @Test func `a runtime directory of another user is ignored`() {
    let found = ServicePaths(
      environment: ["HOME": "/root", "XDG_RUNTIME_DIR": "/run/user/1000"], passwordHome: "/root",
      userDirectories: nil, isUsableRuntimeDirectory: { $0 != "/run/user/1000" })
    #expect(found.socketPath == "/root/.local/state/kettle/run/control.sock")
  }

  @Test func `a home at the root produces no double slashes`() {
    let found = paths(["HOME": "/"], userDirectories: #"XDG_DOWNLOAD_DIR="$HOME/In""#)
    #expect(found.stateDirectory == "/.local/state/kettle")
    #expect(found.documentsDirectory == "/In")
    #expect(paths([:], passwordHome: "").homeDirectory == "/")
  }

  @Test(arguments: [
    (#"XDG_DOWNLOAD_DIR="$HOME/Transferts""#, "/home/u/Transferts"),
    (#"XDG_DOWNLOAD_DIR="/data/in""#, "/data/in"),
    (#"  XDG_DOWNLOAD_DIR="$HOME/a b/""#, "/home/u/a b"),
    (#"XDG_DOWNLOAD_DIR="$HOME/a\"b\\c\$d""#, #"/home/u/a"b\c$d"#),
    // In user-dirs the home directory stands for a disabled directory.
    (#"XDG_DOWNLOAD_DIR="$HOME/""#, "/home/u"),
    (#"XDG_DOWNLOAD_DIR="$HOME""#, "/home/u"),
    ("# XDG_DOWNLOAD_DIR=\"/no\"\nXDG_DESKTOP_DIR=\"$HOME/Desk\"", "/home/u/Downloads"),
    ("XDG_DOWNLOAD_DIR=\"/one\"\r\nXDG_DOWNLOAD_DIR=\"/two\"\r\n", "/two"),
    (#"XDG_DOWNLOAD_DIR="$HOMELAND/x""#, "/home/u/Downloads"),
    (#"XDG_DOWNLOAD_DIR="relative""#, "/home/u/Downloads"),
    (#"XDG_DOWNLOAD_DIR="/not closed"#, "/home/u/Downloads"),
    (#"XDG_DOWNLOAD_DIR=/not/quoted"#, "/home/u/Downloads"),
    ("", "/home/u/Downloads"),
  ])
  func `the download directory of user-dirs is used`(
    text: String, expected: String
  ) {
    #expect(paths(["HOME": "/home/u"], userDirectories: text).documentsDirectory == expected)
  }

  @Test func `the variable overrides the user-dirs file`() {
    let found = paths(
      ["HOME": "/home/u", "XDG_DOWNLOAD_DIR": "/mine"],
      userDirectories: #"XDG_DOWNLOAD_DIR="/theirs""#)
    #expect(found.documentsDirectory == "/mine")
  }

  @Test func `the user-dirs file is in the configuration directory`() {
    #expect(
      ServicePaths.userDirectoriesPath(environment: ["HOME": "/h"], passwordHome: "/pw")
        == "/h/.config/user-dirs.dirs")
    #expect(
      ServicePaths.userDirectoriesPath(
        environment: ["XDG_CONFIG_HOME": "/c"], passwordHome: "/pw") == "/c/user-dirs.dirs")
  }
}
