import KettleModel
import Testing

@testable import KettleRPC

struct AnswerTests {
  private static let time = WallTime(millisecondsSince1970: 0)

  private func row(
    _ state: TransferState, _ reason: WaitingReason? = nil, received: Int64 = 0,
    expected: Int64? = nil, path: String? = nil, error: TransferFailure? = nil
  ) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "",
      url: "http://a/f", state: state, reason: reason, path: path, bytesReceived: received,
      bytesExpected: expected, bytesPerSecond: 7, createdAt: Self.time, error: error)
  }

  private func download(_ row: TransferSnapshot) -> RPCDownload {
    RPCDownload(gid: GID(rawValue: 1), row: row, directory: "/d")
  }

  private func fields(
    _ row: TransferSnapshot, _ keys: StatusKeys = .all
  ) -> [String: RPCValue] {
    StatusAnswer.fields(of: download(row), keys).object ?? [:]
  }

  @Test(
    arguments: [
      (TransferState.queued, nil, "waiting"), (.scheduled, nil, "waiting"),
      (.waiting, .retry, "waiting"), (.waiting, .diskSpace, "waiting"), (.running, nil, "active"),
      (.verifying, nil, "active"), (.paused, nil, "paused"), (.idle, nil, "paused"),
      (.completed, nil, "complete"), (.failed, nil, "error"), (.waiting, .needsLogin, "error"),
      (.waiting, .needsLink, "error"), (.waiting, .needsDecision, "error"),
    ] as [(TransferState, WaitingReason?, String)])
  func `every state is one of aria2's`(
    state: TransferState, reason: WaitingReason?, status: String
  ) {
    #expect(fields(row(state, reason))["status"] == .text(status))
  }

  @Test func `a running download has what every client reads`() {
    let fields = fields(row(.running, received: 1 << 20, expected: 3 << 20, path: "/x/f.bin"))
    #expect(fields["totalLength"] == "3145728")
    #expect(fields["completedLength"] == "1048576")
    #expect(fields["downloadSpeed"] == "7")
    #expect(fields["numPieces"] == "3")
    #expect(fields["pieceLength"] == "1048576")
    #expect(fields["dir"] == "/x")
    #expect(fields["connections"] == "0")
    #expect(fields["uploadLength"] == "0")
    #expect(fields["errorCode"] == nil)
    #expect(fields["bittorrent"] == nil)
    #expect(
      fields["files"] == [
        [
          "index": "1", "path": "/x/f.bin", "length": "3145728", "completedLength": "1048576",
          "selected": "true", "uris": [["uri": "http://a/f", "status": "used"]],
        ]
      ])
    #expect(self.fields(row(.queued))["dir"] == "/d")
    #expect(self.fields(row(.paused))["downloadSpeed"] == "0")
  }

  @Test func `only fields that were asked for are answered`() {
    #expect(
      Set(fields(row(.running), .some(["gid", "status", "nope"])).keys) == ["gid", "status"])
  }

  @Test func `held pieces are bits, the first one highest`() throws {
    var record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1,
      spec: TransferSpec(url: try TransferURL.parse("http://a/f").get().url), createdAt: Self.time,
      queuePosition: 1,
      state: .paused)
    var held = ByteRangeSet()
    for range in [(0, 1 << 20), (8 << 20, (9 << 20) + 5)] {
      if let range = ByteRange(lower: Int64(range.0), upper: Int64(range.1)) { held.insert(range) }
    }
    record.resumeData = ResumeData(
      partialPath: "/x/f.part", device: 1, inode: 1, durable: held,
      totalByteCount: (9 << 20) + 5, validator: nil, finalName: "f")
    var one = download(row(.paused, received: 1, expected: (9 << 20) + 5))
    one.record = record
    one.received = held
    let bits = StatusAnswer.fields(of: one, .some(["bitfield"])).object?["bitfield"]
    // Pieces 0, 8 and 9; the last one is short.
    #expect(bits == "80c0")
    one.row.state = .completed
    #expect(StatusAnswer.fields(of: one, .all).object?["bitfield"] == "ffc0")
    #expect(fields(row(.running))["bitfield"] == nil)
  }

  @Test func `received bytes are bits while it runs`() {
    var running = download(row(.running, received: 3 << 20, expected: 4 << 20))
    running.received = ByteRangeSet(prefix: 3 << 20)
    #expect(StatusAnswer.fields(of: running, .all).object?["bitfield"] == "e0")
  }

  @Test func `the number of pieces is bounded`() {
    #expect(Pieces(byteCount: nil).count == 0)
    #expect(Pieces(byteCount: 0).count == 0)
    #expect(Pieces(byteCount: 1).count == 1)
    #expect(Pieces(byteCount: 4096 << 20).count == 4096)
    #expect(Pieces(byteCount: (4096 << 20) + 1).byteCount == 2 << 20)
    #expect(Pieces(byteCount: .max).count <= 4096)
  }

  @Test(
    arguments: [
      (TransferState.completed, nil, nil, "0"), (.failed, nil, .httpStatus, "22"),
      (.failed, nil, .checksumMismatch, "32"), (.failed, nil, .diskFull, "9"),
      (.failed, nil, .hostNotFound, "19"), (.failed, nil, .timedOut, "2"),
      (.failed, nil, .nameTaken, "13"), (.failed, nil, nil, "1"),
      (.waiting, .needsLogin, .loginNeeded, "24"), (.waiting, .needsLink, .linkExpired, "22"),
    ] as [(TransferState, WaitingReason?, TransferFailure.Code?, String)])
  func `why a download stopped has aria2's number`(
    state: TransferState, reason: WaitingReason?, code: TransferFailure.Code?, number: String
  ) {
    let error = code.map { TransferFailure($0, on: "a") }
    #expect(fields(row(state, reason, error: error))["errorCode"] == .text(number))
  }

  @Test func `the status of a response has its own number`() {
    func number(_ detail: String) -> Int {
      ErrorNumber(TransferFailure(.httpStatus, on: "a", detail: detail)).rawValue
    }
    #expect(number("404 Not Found") == 3)
    #expect(number("503 Busy") == 29)
    #expect(number("401 No") == 24)
    #expect(number("418 Teapot") == 22)
  }

  @Test func `a removed download is told as such`() {
    var removed = download(row(.running))
    removed.isRemoved = true
    let fields = StatusAnswer.fields(of: removed, .all).object ?? [:]
    #expect(fields["status"] == "removed")
    #expect(fields["errorCode"] == "31")
  }

  @Test func `front ends must not offer BitTorrent`() {
    let features = ServiceAnswer.version.object?["enabledFeatures"]?.list ?? []
    #expect(!features.contains("BitTorrent"))
    #expect(features.contains("XML-RPC"))
  }
}

struct NotificationTests {
  private func row(_ state: TransferState, _ reason: WaitingReason? = nil) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "", url: "http://a/",
      state: state, reason: reason, createdAt: WallTime(millisecondsSince1970: 0))
  }

  private func told(
    _ states: [(TransferState, WaitingReason?)]
  ) -> [RPCNotification] {
    var log = NotificationLog()
    return states.enumerated().compactMap { index, state in
      log.note(row(state.0, state.1), isNew: index == 0)
    }
  }

  @Test func `each is told once`() {
    #expect(
      told([
        (.queued, nil), (.running, nil), (.running, nil), (.waiting, .retry), (.running, nil),
        (.verifying, nil), (.completed, nil), (.completed, nil),
      ])
        == [.started, .completed])
    #expect(
      told([(.running, nil), (.failed, nil), (.queued, nil), (.running, nil), (.completed, nil)])
        == [.started, .failed, .started, .completed])
  }

  @Test func `a pause and its end are told, an addition in that state is not`() {
    #expect(
      told([(.paused, nil), (.queued, nil), (.running, nil), (.paused, nil)])
        == [.started, .paused])
    #expect(
      told([(.running, nil), (.paused, nil), (.running, nil)])
        == [.started, .paused, .started])
  }

  @Test func `waiting for the user is an error`() {
    #expect(told([(.running, nil), (.waiting, .needsLogin)]) == [.started, .failed])
  }

  @Test func `a removal is told unless it had stopped`() {
    var log = NotificationLog()
    _ = log.note(row(.running))
    #expect(log.noteRemoved(row(.running)) == .removed)
    #expect(log.noteRemoved(row(.completed)) == nil)
    #expect(log.noteRemoved(row(.paused)) == .removed)
  }

  @Test func `a notification has the form that clients expect`() {
    let bytes = JSONWriter.bytes(RPCNotification.started.message(GID(rawValue: 0x1F)))
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"aria2.onDownloadStart","#
        + #""params":[{"gid":"000000000000001f"}]}"#)
  }
}
