import KettleConfiguration

/// The configuration file and the file of a theme: parsing ends, problems name a valid line, and
/// insignificant text does not change the settings.
struct ConfigurationFuzz: TextFuzzPart {
  let name = "configuration"
  let sharePercent = 5
  let samples: [[UInt8]]
  let mutator: TextMutator

  init() {
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "[a]", "a = 1", "\"\"", "\"\\u00e9\"", "'", "[[", "]]", "[[rules]]", "[rules]", "\"a.b\"",
        "{}", "1_000", "+1", "1979-05-27",
      ],
      samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    let service = ServiceConfiguration.read(input)
    let dashboard = DashboardConfiguration.read(input)
    let problems = service.1 + dashboard.1 + ThemeConfiguration.read(input).1
    let lineCount = input.count { $0 == 10 } + 1
    for problem in problems {
      if let line = problem.line, !(1...lineCount).contains(line) {
        return "line \(line) of \(lineCount) is named"
      }
      let sentence = problem.sentence(path: "/config.toml")
      if sentence.utf8.contains(where: { $0 < 32 || $0 == 127 }) {
        return "control bytes are shown: \(sentence.debugDescription)"
      }
    }
    if problems.contains(where: \.isUnreadable) {
      return service.0 == ServiceConfiguration() && dashboard.0 == DashboardConfiguration()
        ? nil : "settings of a file that cannot be read hold"
    }
    let padded = input + Array("\n\n# comment\n".utf8)
    let same =
      ServiceConfiguration.read(padded) == service
      && DashboardConfiguration.read(padded).0
        == dashboard.0
    return same ? nil : "a comment at the end changes the settings"
  }

  private static let texts = [
    """
    [downloads]
    directory = "~/Downloads"          # where files go
    [limits]
    transfers = 20
    connections-per-host = 5
    connections = 64
    rate = "2M"
    [proxy]
    url = "http://me:secret@proxy.example.org:3128"
    no-proxy = ["localhost", ".example.org", "10.0.0.0/8", '*']
    [conditions]
    mains = "always"
    unmetered = "auto"
    [notify]
    desktop = true
    failures = false
    finished = true

    """,
    """
    limits.transfers = 7
    [keys]
    pause = "z"
    start = ["s", "F5"]
    suspend = ""
    first = ["Home", "Alt-<"]
    [dashboard]
    mouse = true
    bell = false
    [theme]
    name = "ember"
    background = "dark"
    [theme.colors]
    progress = "#38aaf5"
    problem = "bright-red"
    quiet = 245

    """,
    """
    [[rules]]
    host = ["example.org", "example.com"]
    extension = "iso"
    type = "video/*"
    name = 'debian-*'
    [[rules]]
    directory = "Videos"
    title = "{name}"
    limit = "1M"
    priority = "low"
    [hosts."a.example"]
    connections = 4
    headers-file = "~/h"
    headers-for = ["https://a.example:1"]
    proxy = "none"
    [proxy.hosts]
    a.example = "http://p"
    [limits]
    "connections" = 5
    [[limits.schedule]]
    rate = "2M"

    """,
    "[downloads]\r\ndirectory = 'C:\\dir \"x\"'\r\n\r\n[limits]\r\nrate = \"none\" # \\u00e9\r\n",
    "base = \"dark\"\n[colors]\ntext = \"#dce1e8\"\nbackground = \"default\"\nkey = 14\n",
    "[queues.night]\ntransfers = 2\nhours = \"22:00-06:00\"\ndays = [\"sat\", \"sun\"]\n",
    "[[limits.schedule]]\nrate = \"2M\"\nhours = \"08:00-18:00\"\n[[limits.schedule]]\n",
    "downloads.directory = \"/a\\tb\\u00fc\\U0001F680\\\"\"\n[limits]\nrate = 1_000\n",
  ]
}

extension ConfigurationProblem {
  fileprivate var isUnreadable: Bool {
    switch what {
    case .unreadable: true
    case .unknownKey, .unquoted, .missingElement, .incomplete, .notInArray, .withoutCondition,
      .givenTwice, .wrongValue:
      false
    }
  }
}
