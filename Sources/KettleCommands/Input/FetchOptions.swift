import ArgumentParser

/// Options of `add` and `get` for the network and the file. Few downloads need them.
struct FetchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A proxy for this download, or none; default: the environment's.", valueName: "url"))
  var proxy: String?

  @Option(
    help: ArgumentHelp(
      "The longest silence of the server; default: 60, doubled after each silence.",
      valueName: "seconds"))
  var timeout: Int?

  @Option(
    help: ArgumentHelp(
      "The longest time to establish a connection; default: 30.", valueName: "seconds",
      visibility: .hidden))
  var connectTimeout: Int?

  @Option(
    help: ArgumentHelp(
      "The number of attempts without new bytes; default: 11, 0 for no limit.", valueName: "n"))
  var tries: Int?

  @Option(
    help: ArgumentHelp(
      "The pause before the first retry; default: 1, doubled each time.", valueName: "seconds",
      visibility: .hidden))
  var retryDelay: Int?

  @Flag(
    name: [.customShort("c"), .customLong("continue")],
    help: """
      Continue a file of that name that curl, wget or a browser has begun, if its end is that of the \
      same bytes. Without -d, one in the current directory is continued there.
      """)
  var continues = false

  @Option(
    help: ArgumentHelp(
      "Send the cookies of this file, in Netscape's format or a browser's database.",
      valueName: "file",
      visibility: .hidden),
    completion: .file())
  var loadCookies: String?

  @Option(
    help: ArgumentHelp(
      "A client certificate in a PEM file, with its key unless --key names it.",
      valueName: "file", visibility: .hidden),
    completion: .file())
  var cert: String?

  @Option(
    help: ArgumentHelp(
      "The private key of --cert in a PEM file.", valueName: "file", visibility: .hidden),
    completion: .file())
  var key: String?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether ~/.netrc may supply the login; default: as configured.", visibility: .hidden))
  var netrc: Bool?

  @Option(
    help: ArgumentHelp(
      "Of an HLS playlist: smallest, a height such as 720p, or a bit rate such as 2500k.",
      valueName: "variant", visibility: .hidden))
  var variant: String?

  @Flag(
    help: ArgumentHelp(
      "Keep a playlist or Metalink as a file, and do not fetch what it describes.",
      visibility: .hidden))
  var asIs = false

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether to unpack a file that the server sends compressed (gzip, br, zstd).",
      visibility: .hidden))
  var decode: Bool?

  @Option(
    help: ArgumentHelp(
      "A program to start when the file is complete, such as 'unzip -o {path}'; no shell reads it.",
      valueName: "command"))
  var then: String?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether the file gets the server's modification time.", visibility: .hidden))
  var remoteTime: Bool?
}
