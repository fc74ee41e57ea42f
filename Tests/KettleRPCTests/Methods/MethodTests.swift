import KettleModel
import Testing

@testable import KettleRPC

struct MethodTests {
  private func method(_ name: String, _ params: RPCValue...) throws -> RPCMethod {
    try RPCMethod(RPCCall(method: name, params: params))
  }

  @Test func `parameters are understood`() throws {
    #expect(
      try method("aria2.addUri", ["http://a/", .integer(3)], ["dir": "/d"], .integer(2))
        == .addURIs(["http://a/"], options: ["dir": "/d"], position: 2))
    #expect(
      try method("aria2.addUri", ["http://a/"])
        == .addURIs(["http://a/"], options: [:], position: nil))
    #expect(
      try method("aria2.addMetalink", "PG0v\nPg==")
        == .addMetalink(
          Array("<m/>".utf8), options: [:], position: nil))
    #expect(
      try method("aria2.tellWaiting", .integer(-1), "1000", ["gid"])
        == .tellWaiting(RPCWindow(offset: -1, count: 1000), keys: .some(["gid"])))
    #expect(
      try method("aria2.tellStopped", .integer(0), .integer(5), [])
        == .tellStopped(RPCWindow(offset: 0, count: 5), keys: .all))
    let gid = try #require(GIDText("00000000000000ff"))
    #expect(
      try method("aria2.changePosition", .text(gid.text), .integer(-2), "POS_CUR")
        == .changePosition(gid, offset: -2, from: .current))
    #expect(
      try method("aria2.changeUri", .text(gid.text), .integer(1), ["a"], ["b"])
        == .changeURIs(gid, file: 1, removed: ["a"], added: ["b"]))
    #expect(try method("aria2.forcePause", .text(gid.text)) == .pause(gid))
  }

  @Test(
    arguments: [
      ("aria2.addUri", [], "The parameter at 0 has wrong type or is missing."),
      ("aria2.addUri", [["a"], "x"], "The parameter at 1 has wrong type or is missing."),
      ("aria2.addUri", [["a"], .object([:]), .integer(-1)], "The position -1 is negative"),
      ("aria2.addMetalink", ["%"], "The parameter at 0 is not Base64"),
      ("aria2.tellStatus", ["xyz"], "Invalid GID xyz"),
      ("aria2.tellStatus", ["0123456789abcdef0"], "Invalid GID 0123456789abcdef0"),
      ("aria2.tellStatus", [""], "Invalid GID "),
      ("aria2.tellWaiting", [.integer(0)], "The parameter at 1 has wrong type or is missing."),
      ("aria2.tellWaiting", [.integer(0), .integer(-1)], "The number of downloads is -1"),
      ("aria2.changePosition", ["1", .integer(0), "TOP"], "The third parameter must be POS_SET"),
      ("aria2.nope", [], "No such method: aria2.nope"),
    ] as [(String, [RPCValue], String)])
  func `a call that does not fit is refused`(name: String, params: [RPCValue], text: String) {
    do throws(RPCError) {
      let method = try RPCMethod(RPCCall(method: name, params: params))
      Issue.record("\(method)")
    } catch {
      #expect(error.message.hasPrefix(text), "\(error.message)")
      #expect(error.code == 1)
    }
  }

  @Test func `every method of aria2 without BitTorrent is listed`() {
    let names = Set(RPCMethod.names)
    let wanted = [
      "addUri", "addMetalink", "remove", "forceRemove", "pause", "forcePause", "pauseAll",
      "forcePauseAll", "unpause", "unpauseAll", "tellStatus", "tellActive", "tellWaiting",
      "tellStopped", "getUris", "getFiles", "getPeers", "getServers", "changePosition", "changeUri",
      "getOption", "changeOption", "getGlobalOption", "changeGlobalOption", "getGlobalStat",
      "purgeDownloadResult", "removeDownloadResult", "getVersion", "getSessionInfo", "shutdown",
      "forceShutdown", "saveSession",
    ].map { "aria2." + $0 }
    #expect(
      names
        == Set(
          wanted + [
            "system.multicall", "system.listMethods",
            "system.listNotifications",
          ]))
    #expect(RPCMethod.openNames.isSubset(of: names))
    // It is refused with a sentence.
    #expect(throws: Never.self) { try method("aria2.addTorrent", "x") }
  }

  @Test(arguments: [
    (RPCWindow(offset: 0, count: 3), 0..<3, false), (RPCWindow(offset: 8, count: 9), 8..<10, false),
    (RPCWindow(offset: 11, count: 9), 10..<10, false),
    (RPCWindow(offset: 0, count: .max), 0..<10, false),
    (RPCWindow(offset: .max, count: .max), 10..<10, false),
    (RPCWindow(offset: -1, count: 1000), 0..<10, true),
    (RPCWindow(offset: -1, count: 2), 8..<10, true), (RPCWindow(offset: -3, count: 2), 6..<8, true),
    (RPCWindow(offset: -11, count: 2), 0..<0, true),
    (RPCWindow(offset: .min, count: .max), 0..<0, true),
    (RPCWindow(offset: -1, count: 0), 10..<10, true),
  ])
  func `a window counts from the beginning or from the end`(
    window: RPCWindow, range: Range<Int>, isReversed: Bool
  ) {
    let rows = window.rows(of: 10)
    #expect(rows.range == range)
    #expect(rows.isReversed == isReversed)
  }
}

struct GIDTests {
  @Test func `every id has a GID, which leads back to it`() {
    for number: Int64 in [0, 1, 2, 17, 1_000_000, 1 << 47, .max] {
      let id = TransferID(rawValue: number)
      #expect(GID(id).transferID == id)
    }
    #expect(GID(TransferID(rawValue: 1)).description.utf8.count == 16)
  }

  @Test func `the first digits of consecutive ids differ`() {
    let prefixes = Set((1...200).map { GID(TransferID(rawValue: $0)).description.prefix(4) })
    #expect(prefixes.count > 190)
  }

  @Test func `a client cannot choose the GID of another transfer`() {
    #expect(!GID(TransferID(rawValue: 5)).isFree)
    #expect(!GID(rawValue: 0).isFree)
    #expect(GID("00000000deadbeef")?.isFree == true)
  }

  @Test func `digits are a range of GIDs`() {
    #expect(GID("0123456789ABCDEF")?.description == "0123456789abcdef")
    #expect(GID("0123") == nil)
    #expect(GID.range(ofPrefix: "f") == GID(rawValue: 0xF << 60)...GID(rawValue: .max))
    #expect(GID.range(ofPrefix: "0000000000000001") == GID(rawValue: 1)...GID(rawValue: 1))
    #expect(GID.range(ofPrefix: "") == nil)
    #expect(GID.range(ofPrefix: "+1") == nil)
    #expect(GIDText("12")?.exact == nil)
    #expect(GIDText("0000000000000001")?.exact == GID(rawValue: 1))
  }
}
