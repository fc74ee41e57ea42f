import BackgroundTransfer
import Foundation
import KettleModel
import Testing

struct ErrorTests {
  /// Every code of Kettle and the code of Apple for it (NSURLError.h).
  private static let table: [TransferFailure.Code: Int] = [
    .badURL: -1000, .tooManyRedirects: -1007, .redirectRefused: -1010, .httpStatus: -1011,
    .rangeReplyWrong: -1011, .encodedReply: -1016, .loginNeeded: -1013, .linkExpired: -1008,
    .otherVersion: -1011, .otherFile: -1011, .hostNotFound: -1003, .connectionRefused: -1004,
    .connectionLost: -1005, .timedOut: -1001, .tlsRefused: -1202, .proxyFailed: -1004,
    .networkDown: -1009, .protocolBroken: -1011, .certificateFileUnusable: -1205,
    .truncated: -1005, .tooLong: -1103, .directoryMissing: -3000, .directoryUnwritable: -3000,
    .diskFull: -3003, .nameTaken: -3005, .fileProblem: -3003, .checksumMismatch: -1015,
    .partialFileChanged: -3006, .uploadFileUnusable: -1100, .cancelled: -999,
    .contradictoryReply: -1011, .webPage: -1011, .nameServerSilent: -1006,
    .proxyUnreachable: -1004, .proxyLoginNeeded: -1004, .noDataConnection: -1005,
    .clientCertificateNeeded: -1206, .checksumListUnusable: -1011, .metalinkUnusable: -1011,
    .torrentUnusable: -1011,
    .wrongPiece: -1011,
    .headersFileUnusable: -1013, .playlistUnusable: -1011, .liveStream: -1011,
    .listUnusable: -1011, .membersUnfinished: -1, .membersFailed: -1,
    .unpackingFailed: -1016, .notContinued: -3005, .conditionUnmet: -1020,
    .storeRefused: -3003, .storeUnavailable: -3003, .uploadGone: -3003,
    .internalProblem: -1,
  ]

  @Test func `every failure of the service has its documented code`() throws {
    let world = try SessionWorld()
    for (index, code) in TransferFailure.Code.allCases.enumerated() {
      let number = Int64(index + 1)
      let task = world.session.downloadTask(with: SessionWorld.url)
      task.resume()
      _ = try world.service.added(number)
      try world.service.move(number, to: .failed) {
        $0.error = TransferFailure(code, on: "books.example")
      }
      let expected = try #require(Self.table[code])
      #expect(world.recorder.wait(for: "completed \(number) \(expected)"), "\(code)")
      let below = world.recorder.error(of: task)?.userInfo[NSUnderlyingErrorKey] as? NSError
      if code != .cancelled {
        #expect(
          below?.localizedDescription == TransferFailure(code, on: "books.example").sentence)
      }
    }
  }

  @Test func `an error has the failing URL under both keys`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    try world.service.move(1, to: .failed) {
      $0.error = TransferFailure(.hostNotFound, on: "books.example")
    }
    #expect(world.recorder.wait(for: "completed 1 -1003"))
    let error = try #require(world.recorder.error(of: task))
    #expect(error.failingURL == SessionWorld.url)
    // The key that the deprecated `failureURLString` reads.
    let text = error.userInfo["NSErrorFailingURLStringKey"] as? String
    #expect(text == SessionWorld.url.absoluteString)
  }

  @Test func `the waiting reason describes what the task waits for`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    #expect(task.waitingReason == nil)
    task.resume()
    _ = try world.service.added(1)
    // The end of a later task shows that the event before it was received.
    let marks = (2...4).map { _ in world.session.downloadTask(with: SessionWorld.url) }
    let expected: [(TransferState, BackgroundTransfer.WaitingReason)] = [
      (.queued, .turn), (.paused, .user),
      (.waiting, .unmeteredNetwork),
    ]
    for (index, (state, reason)) in expected.enumerated() {
      try world.service.move(1, to: state) {
        $0.reason = state == .waiting ? .discretionary : nil
        $0.error = TransferFailure(.conditionUnmet, on: TransferCondition.unmeteredNetwork.rawValue)
      }
      marks[index].resume()
      let number = Int64(index + 2)
      _ = try world.service.added(number)
      try world.service.finish(number)
      #expect(world.recorder.wait(for: "completed \(number) 0"))
      #expect(task.waitingReason == reason)
    }
    #expect(task.waitingReason?.description == "waits for a network that is not metered")
  }
}
