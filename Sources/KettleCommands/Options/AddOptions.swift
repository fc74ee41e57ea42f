import ArgumentParser
import KettleModel

/// The options of `add`, which `get` accepts too.
struct AddOptions: ParsableArguments {
  /// More connections for one file make it no faster and look like an attack.
  static let connectionsMax = 64

  @Option(
    name: [.customShort("t"), .long],
    help: ArgumentHelp("What the list shows in place of the file's name.", valueName: "title"))
  var title: String?

  @Option(
    name: [.customShort("d"), .customLong("directory")],
    help: ArgumentHelp(
      "Where the file goes; the downloads directory unless given.", valueName: "dir"),
    completion: .directory)
  var directory: String?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "What the file is called; the server's name unless given.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The group that the transfer belongs to; \"kettle\" unless given.", valueName: "id"))
  var session: String?

  @Option(
    help: ArgumentHelp(
      "The most connections at once, also above the limit for the host.", valueName: "n"))
  var connections: Int?

  @Option(
    name: .customLong("header"),
    help: ArgumentHelp(
      "A header to send to this host only, as 'Name: value'; can be repeated.", valueName: "header")
  )
  var headers: [String] = []

  @Option(
    help: ArgumentHelp(
      "The login, as name:password, or name and the password is asked for.", valueName: "user"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "The digest that the finished file must have, as sha256:HEX.", valueName: "checksum"))
  var checksum: String?

  @Option(
    help: ArgumentHelp(
      "Trust the authorities in this PEM file for this transfer.", valueName: "file"),
    completion: .file())
  var caCertificate: String?

  @Option(
    help: ArgumentHelp(
      "The most bytes a second, with K, M or G for powers of 1024: 1.5M.", valueName: "rate"))
  var limit: String?

  @Option(
    help: ArgumentHelp(
      """
      When it may start: 2026-12-24T18:00:00Z, 2026-12-24T18:00 or 2026-12-24 in local time, or \
      +45s, +90m, +2h, +1d from now.
      """, valueName: "time"))
  var notBefore: String?

  @Option(
    help: ArgumentHelp(
      "Its place in the queue: low, normal, high, or 0 (last) to 1 (first).", valueName: "priority")
  )
  var priority: String?

  @Flag(help: "List it without starting it.")
  var paused = false

  @Option(
    help: ArgumentHelp(
      "What to do when the file's name is taken: rename gives this one a number.",
      valueName: "policy"))
  var onConflict: ConflictPolicy = .rename
}

extension ConflictPolicy: ExpressibleByArgument {}
