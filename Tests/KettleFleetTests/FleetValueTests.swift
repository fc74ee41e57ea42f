import Foundation
import KettleModel
import Testing

@testable import KettleFleet

/// What a host makes of what others write into the queue.
struct FleetValueTests {
  private let settings = FleetSettings(
    database: "", name: "nas", secret: "", labels: ["eu"], take: 1,
    roots: ["/srv/files", "s3://bucket/raw", "/mnt/share/"])

  @Test(
    arguments: [
      (nil, "/srv/files"), ("/srv/files", "/srv/files"), ("/srv/files/a//b/", "/srv/files/a/b"),
      ("/mnt/share/x", "/mnt/share/x"), ("s3://bucket/raw/x", "s3://bucket/raw/x"),
      ("s3://bucket/raw", "s3://bucket/raw"),
    ] as [(String?, String)])
  func `a place below a root is permitted`(_ directory: String?, _ place: String) {
    #expect(settings.place(for: directory) == place)
  }

  @Test(arguments: [
    "/srv", "/srv/files2", "/srv/files/../other", "/srv/files/./x", "srv/files", "", "/",
    "/etc", "s3://bucket", "s3://bucket/rawer", "s3://other/raw", "s3://bucket/raw/../x",
    "/srv/files/a\u{0}b", "/srv/files/.kettle-fleet", "/srv/files/.kettle-fleet/1.2.3.4",
  ])
  func `no other place is`(_ directory: String) {
    #expect(settings.place(for: directory) == nil)
  }

  @Test func `the folder of a file of a collection is below its directory`() throws {
    var order = FleetOrder(url: try TransferURL.parse("https://a.example/f").get().url)
    order.folder = MemberPath(foreign: "model/a")
    #expect(settings.place(for: order) == "/srv/files/model/a")
    order.directory = "/mnt/share"
    #expect(settings.place(for: order) == "/mnt/share/model/a")
    order.directory = "s3://bucket/raw"
    #expect(settings.place(for: order) == "s3://bucket/raw/model/a")
    order.directory = "/srv"
    #expect(settings.place(for: order) == nil)
  }

  @Test(arguments: [#"{"blocks": "%"}"#, #"{"blocks": 7}"#, #""x""#, "[]"])
  func `a proof that cannot be read does not spoil an answer`(_ proof: String) throws {
    let text = """
      {"key": {"id": 1, "epoch": 2}, "name": "f", "directory": "/srv", "byteCount": 3,
       "proof": \(try quoted(proof))}
      """
    let errand = try JSONDecoder().decode(FileErrand.self, from: Data(text.utf8))
    #expect(errand.proof == nil && errand.byteCount == 3)
  }

  @Test func `a proof has the digests of a whole file`() throws {
    let byteCount: Int64 = 5 << 19
    let whole = try #require(ByteRange(lower: 0, upper: byteCount))
    let entries = BlockDigests.parts(of: whole).enumerated().compactMap { index, part in
      DigestedBytes(part, BlockDigest(high: .max - UInt64(index), low: UInt64(index) << 40 | 5))
    }
    let proof = FileProof(modifiedNanoseconds: 1, byteCount: byteCount, BlockDigests(entries))
    let read = try JSONDecoder().decode(FileProof.self, from: JSONEncoder().encode(proof))
    #expect(read.digests(byteCount: byteCount) == entries)
    for wrong in [byteCount - (1 << 20), byteCount + (1 << 20), -1, .max] {
      #expect(read.digests(byteCount: wrong) == nil)
    }
    let part = FileProof(
      modifiedNanoseconds: 1, byteCount: byteCount, BlockDigests(entries.dropLast()))
    #expect(part.blocks == nil && part.digests(byteCount: byteCount) == nil)
    let empty = FileProof(modifiedNanoseconds: 1, byteCount: 0, BlockDigests())
    #expect(empty.digests(byteCount: 0) == [])
  }

  @Test func `the name of a claim's directory is read as it is written`() {
    let claim = ClaimDirectory(
      fleet: "0a-f", host: FleetHostID(rawValue: 3),
      key: ClaimKey(id: FleetTransferID(rawValue: 12), epoch: 2))
    #expect(claim.name == "0a-f.3.12.2")
    #expect(ClaimDirectory("0a-f.3.12.2") == claim)
    for name in [
      "3.12.2", "f.3.12.2.1", "f.03.12.2", "f.3.-12.2", "a.b.c.d", "", "f.3.12.2 ",
      "f.3..2", ".3.12.2", "F.3.12.2", "../f.3.12.2",
    ] {
      #expect(ClaimDirectory(name) == nil)
    }
  }

  /// A text as a JSON value.
  private func quoted(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }

  /// A claim, of which the table sends the order and the earlier placing as texts.
  private func claim(
    _ order: String, earlier: String? = nil, origin: String = "https://a.example"
  ) throws -> FleetClaim {
    let text = """
      {"key": {"id": 1, "epoch": 1}, "share": {"origin": "\(origin)", "slot": 0},
       "order": \(try quoted(order)), "earlier": \(try earlier.map(quoted) ?? "null")}
      """
    return try JSONDecoder().decode(FleetClaim.self, from: Data(text.utf8))
  }

  /// JSON of more levels than a decoder accepts.
  private static let deep =
    String(repeating: "[", count: 600) + String(repeating: "]", count: 600)

  @Test func `an order that cannot be read fails alone`() throws {
    let base = #""headers": [], "onConflict": "rename""#
    #expect(try claim(#"{"url": "https://a.example/f", \#(base)}"#).order != nil)
    #expect(try claim(#"{"url": "file:///etc/passwd", \#(base)}"#).order == nil)
    #expect(try claim(#"{"url": "https://a.example/f", "name": "../x", \#(base)}"#).order == nil)
    #expect(try claim("7").order == nil)
    #expect(
      try claim(#"{"url": "https://a.example/f", "x": \#(Self.deep), \#(base)}"#).order == nil)
    #expect(try claim(#"{"url": "https://a.example/f", "connections": 0, \#(base)}"#).order == nil)
    #expect(
      try claim(#"{"url": "https://a.example/f", "limitBytesPerSecond": -1, \#(base)}"#).order
        == nil)
    let header = #"{"name": "X", "value": "a\r\nY: b"}"#
    #expect(
      try claim(
        #"{"url": "https://a.example/f", "headers": [\#(header)], "onConflict": "rename"}"#
      ).order == nil)
    // The share of one origin is no right to ask another.
    #expect(
      try claim(#"{"url": "https://a.example/f", \#(base)}"#, origin: "https://b.example").order
        == nil)
  }

  @Test(arguments: ["7", #"{"name": "f"}"#, "[]", deep])
  func `a transfer whose earlier placing cannot be read is not downloaded`(
    _ earlier: String
  ) throws {
    let order = #"{"url": "https://a.example/f", "headers": [], "onConflict": "rename"}"#
    #expect(try claim(order).order != nil)
    let claim = try claim(order, earlier: earlier)
    #expect(claim.order == nil && claim.earlier == nil)
  }

  @Test(arguments: ["progress", "failure", "check"], ["7", "{}", #"{"at": "x"}"#, "null", deep])
  func `a row is listed without what its host wrote and nobody can read`(
    _ part: String, _ text: String
  ) throws {
    let row = """
      {"id": 1, "url": "https://a.example/f", "state": "completed", "priority": 0.5,
       "createdAt": 1000, "\(part)": \(try quoted(text))}
      """
    let read = try JSONDecoder().decode(FleetRow.self, from: Data(row.utf8))
    #expect(read.progress == nil && read.failure == nil && read.check == nil)
    #expect(read.id == FleetTransferID(rawValue: 1))
    let standing = """
      {"state": "failed", "isAsked": true, "isAlive": true, "\(part)": \(try quoted(text))}
      """
    let told = try JSONDecoder().decode(FileErrandRequest.Standing.self, from: Data(standing.utf8))
    #expect(told.isAsked && told.check == nil && told.failure == nil)
  }

  // An Int64 that is not bounded would end the process in some of the calculations.
  @Test(arguments: [-1 << 60, -1, Int64(1) << 60])
  func `a number of the table is bounded before it is used`(_ number: Int64) throws {
    let bounded: Int64 = number < 0 ? 0 : 1 << 53
    let text = """
      {"id": 1, "state": "running", "bytesReceived": \(number), "bytesExpected": \(number),
       "bytesPerSecond": \(number), "connections": \(number)}
      """
    let progress = try JSONDecoder().decode(FleetProgress.self, from: Data(text.utf8))
    #expect(progress.bytesReceived == bounded && progress.bytesExpected == bounded)
    #expect(progress.bytesPerSecond == bounded && progress.connections == Int(bounded))
    let reply = """
      {"claims": [], "others": [], "shares": [], "hasWork": false, "isDraining": false, "errands": [],
       "limitBytesPerSecond": \(number),
       "needs": [{"host": 1, "bytesPerSecond": \(number), "wantsMore": false},
         {"host": 2, "bytesPerSecond": 1, "wantsMore": true}]}
      """
    let beat = try JSONDecoder().decode(FleetBeat.Reply.self, from: Data(reply.utf8))
    #expect(beat.limitBytesPerSecond == bounded && beat.nextExpiryMilliseconds == nil)
    let part = TeamLimit.part(
      of: FleetHostID(rawValue: 2), limit: beat.limitBytesPerSecond, needs: beat.needs)
    #expect((1...(1 << 53)).contains(part ?? 0))
  }

  @Test func `an order carries nothing that concerns only one machine`() throws {
    let url = try TransferURL.parse("https://a.example/f").get().url
    var spec = TransferSpec(url: url)
    #expect((try? FleetOrder(spec)) != nil)
    spec.login = Login(user: "u", password: "p")
    #expect(throws: FleetOrderProblem(part: "login")) { try FleetOrder(spec) }
    spec.login = nil
    spec.caCertificatePath = "/etc/ca.pem"
    #expect(throws: FleetOrderProblem(part: "caCertificatePath")) { try FleetOrder(spec) }
    spec.caCertificatePath = nil
    spec.options.usesNetrc = true
    #expect(throws: FleetOrderProblem(part: "options")) { try FleetOrder(spec) }
  }

  @Test func `what an order becomes stays in its directory and reaches no own address`() throws {
    let url = try TransferURL.parse("https://a.example/f").get().url
    let spec = FleetOrder(url: url).spec(in: "/srv/files/.kettle-fleet/1.2.3", reach: .network)
    #expect(spec.session == .fleet)
    #expect(spec.directory == "/srv/files/.kettle-fleet/1.2.3")
    #expect(spec.source.minimumReach == .network)
    #expect(spec.options.then == nil)
    #expect(spec.refusedPart == nil)
  }

  @Test func `a later claim uses the name of the one before`() throws {
    let url = try TransferURL.parse("https://a.example/f").get().url
    let key = ClaimKey(id: FleetTransferID(rawValue: 1), epoch: 2)
    let earlier = EarlierPlacing(
      host: FleetHostID(rawValue: 1), epoch: 1, name: "f (2)", byteCount: 1,
      modifiedNanoseconds: nil, directory: "/srv/files")
    var actions: [FleetAction] = []
    var claim = HeldClaim(
      FleetClaim(
        key: key, share: ShareKey(origin: "https://a.example", slot: 0),
        order: FleetOrder(url: url), earlier: earlier), by: settings, &actions)
    #expect(actions == [.look(key, earlier)])
    claim.looked(nil, &actions)
    claim.handle(.added(TransferID(rawValue: 9)), &actions)
    claim.handle(
      .completed(
        CompleteFile(path: "/x/f", name: "f", byteCount: 1, modifiedNanoseconds: 1)), &actions)
    let host = FleetHostKey(host: FleetHostID(rawValue: 2), start: 1)
    #expect(claim.placement(by: host)?.name == "f (2)")
  }

  private func need(_ host: Int64, _ rate: Int64, more: Bool) -> FleetNeed {
    FleetNeed(host: FleetHostID(rawValue: host), bytesPerSecond: rate, wantsMore: more)
  }

  private func parts(_ limit: Int64?, _ needs: [FleetNeed]) -> [Int64?] {
    needs.map { TeamLimit.part(of: $0.host, limit: limit, needs: needs) }
  }

  @Test func `the limit of a fleet goes where it is needed`() {
    #expect(parts(nil, [need(1, 5, more: true)]) == [nil])
    #expect(
      parts(900, [need(1, 0, more: true), need(2, 0, more: true), need(3, 9, more: true)])
        == [300, 300, 300])
    // Two that need little leave the rest to the third.
    #expect(
      parts(1000, [need(1, 0, more: false), need(2, 100, more: false), need(3, 0, more: true)])
        == [10, 110, 880])
    let all = parts(
      1000, [need(1, 400, more: false), need(2, 500, more: true), need(3, 90, more: false)])
    #expect(all.reduce(0) { $0 + ($1 ?? 0) } <= 1000)
    // One that the table does not count yet begins slowly.
    #expect(TeamLimit.part(of: FleetHostID(rawValue: 9), limit: 1000, needs: []) == 10)
  }
}
