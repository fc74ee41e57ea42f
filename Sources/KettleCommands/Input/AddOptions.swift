import ArgumentParser
import KettleModel

/// The options of `add`, which `get` accepts too.
struct AddOptions: ParsableArguments {
  /// More connections for one file make it no faster and look like an attack.
  static let connectionsMax = 64

  @Option(
    name: [.customShort("t"), .long],
    help: ArgumentHelp("The title to show instead of the file name.", valueName: "title"))
  var title: String?

  @Option(
    name: [.customShort("d"), .customLong("directory")],
    help: ArgumentHelp(
      "The directory for the file, created if missing; default: the downloads directory.",
      valueName: "dir"),
    completion: .directory)
  var directory: String?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The name or path of the file; default: the name given by the server.", valueName: "path"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The group of the transfer; default: \"kettle\".", valueName: "id", visibility: .hidden),
    completion: .asking(.sessions))
  var session: String?

  @Option(
    help: ArgumentHelp(
      "Your queue for the transfer, with its own limit and hours; default: \"default\".",
      valueName: "name"),
    completion: .asking(.queues))
  var queue: String?

  @Option(
    help: ArgumentHelp(
      "The number of connections; overrides the limit per host.", valueName: "n"))
  var connections: Int?

  @Option(
    name: .customLong("header"),
    help: ArgumentHelp(
      "A header to send to this host only, as 'Name: value'; can be repeated.", valueName: "header")
  )
  var headers: [String] = []

  @Option(
    help: ArgumentHelp(
      "The login, as name:password; asks for a missing password.", valueName: "user"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      """
      The expected digest of the finished file: sha256:HEX, sha512:HEX, sha384:HEX, sha224:HEX, \
      sha1:HEX, md5:HEX or the digits alone.
      """, valueName: "checksum"))
  var checksum: String?

  @Option(
    name: .customLong("checksum-url"),
    help: ArgumentHelp(
      "A list with the digest of the file, such as SHA256SUMS.", valueName: "url"))
  var checksumURL: String?

  @Option(
    help: ArgumentHelp(
      "Trust the certificate authorities in this PEM file.", valueName: "file",
      visibility: .hidden),
    completion: .file())
  var caCertificate: String?

  @Option(
    help: ArgumentHelp(
      "Bytes per second, with K, M or G for powers of 1024: 1.5M.", valueName: "rate"))
  var limit: String?

  @Option(
    help: ArgumentHelp(
      """
      The earliest start: 2026-12-24T18:00:00Z, 2026-12-24T18:00 or 2026-12-24 in local time, or \
      +45s, +90m, +2h, +1d from now.
      """, valueName: "time"))
  var notBefore: String?

  @Option(
    help: ArgumentHelp(
      "The priority: low, normal, high, or 0 (last) to 1 (first).", valueName: "priority")
  )
  var priority: String?

  @Option(
    help: ArgumentHelp(
      "What to do if the file exists: rename (the default) adds a number to the name.",
      valueName: "policy"))
  var onConflict: ConflictPolicy?

  @Option(
    name: .customLong("mirror"),
    help: ArgumentHelp(
      "Another URL of the same file; can be repeated. The file comes from all of them.",
      valueName: "url"))
  var mirrors: [String] = []

  @OptionGroup var fetch: FetchOptions
}

extension AddOptions {
  /// What is wrong with the options together, for this many URLs.
  func problems(urlCount count: Int) -> [UsageProblem] {
    var problems: [UsageProblem] = []
    if checksum != nil, checksumURL != nil { problems.append(.command(.twoChecksums)) }
    guard count > 1 else { return problems }
    if OutputPath(directory: nil, output: output).name != nil {
      problems.append(.command(.nameForSeveral(count: count)))
    }
    if checksum != nil { problems.append(.command(.checksumForSeveral(count: count))) }
    if !mirrors.isEmpty { problems.append(.command(.mirrorForSeveral(count: count))) }
    return problems
  }
}

extension ConflictPolicy: ExpressibleByArgument {}
