import KettleModel
import KettleRPC

/// What people bring from other programs: files of cookies, and command lines, configurations and
/// input files of aria2c. Reading ends, a cookie fits into one header, the command line goes before
/// the configuration, and no option of an input file starts a program or leads to another place
/// than a download of the RPC.
struct PeerFileFuzz: TextFuzzPart {
  let name = "peer-files"
  let sharePercent = 2
  let samples: [[UInt8]]
  let mutator: TextMutator
  private let options: RPCFuzz
  private let now = WallTime(millisecondsSince1970: 1_700_000_000_000)

  init() throws {
    options = try RPCFuzz()
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "\t", "\tTRUE\t", "#HttpOnly_", "\t1e400\t", "\t-1\t", "\tnan\t", "\u{feff}", "\r\n", ";",
        "\u{0}", "=", " header=", "\n out=../x", "\n dir=/etc", "\n on-download-complete=/bin/sh",
        "--", "-Z", "--header", "--out=", "-x16", "http://a/\thttp://b/", "\u{85}", "\u{2028}",
      ],
      samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    let text = String(decoding: input, as: UTF8.self)
    return finding(inCookies: text) ?? finding(inInputFile: text) ?? finding(inCommandLine: text)
  }

  private func finding(inCookies text: String) -> String? {
    guard let file = CookieFile(text, at: now) else { return nil }
    let lineCount = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    if file.cookies.count + file.unreadableLines.count > lineCount { return "more than the lines" }
    for cookie in file.cookies {
      if !cookie.isUsable { return "the cookie \(cookie)" }
      if cookie.domain.isEmpty || cookie.domain.hasPrefix(".") || !cookie.path.hasPrefix("/") {
        return "the scope of \(cookie)"
      }
    }
    return nil
  }

  private func finding(inInputFile text: String) -> String? {
    for entry in Aria2InputFile(text).entries {
      if entry.uris.isEmpty || entry.uris.contains(where: \.isEmpty) { return "an empty URI" }
      for uri in entry.uris where uri.contains(where: { $0.isNewline || $0 == "\t" }) {
        return "the URI \(uri.debugDescription)"
      }
      if let finding = options.finding(in: entry.options) { return finding }
    }
    return nil
  }

  /// The first line is the command line, the rest the configuration.
  private func finding(inCommandLine text: String) -> String? {
    let parts = text.split(maxSplits: 1, whereSeparator: \.isNewline).map(String.init)
    let words = parts.first?.split(separator: " ").map(String.init) ?? []
    guard var line = try? Aria2CommandLine(words) else { return nil }
    let own = line.options
    line.addConfiguration(parts.count > 1 ? parts[1] : "")
    for (name, value) in own where line.options[name] != value {
      return "the configuration changes --\(name)"
    }
    return options.finding(in: line.options)
  }

  private static let texts = [
    "# Netscape HTTP Cookie File\n.example.org\tTRUE\t/\tTRUE\t2000000000\tsid\ta1b2\n"
      + "#HttpOnly_example.org\tFALSE\t/files\tFALSE\t0\ttoken\tx=y z\n\n"
      + "example.net\tFALSE\t\tFALSE\t\tempty\t\n",
    "https://example.org/a.iso\thttps://mirror.example/a.iso\n  out=b.iso\n  dir=isos\n"
      + "  header=Referer: https://example.org/\n  header=A: b\n  checksum=sha-1="
      + "da39a3ee5e6b4b0d3255bfef95601890afd80709\n# next\nftp://example.org/c\n\tsplit=4\n",
    "-x16 -s4 --dir=isos -o c.iso --header=A:b -c https://example.org/c.iso\n"
      + "# comment\nmax-connection-per-server=4\nheader=C: d\nsplit=8\n",
  ]
}
