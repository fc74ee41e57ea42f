import Foundation
import KettleControl
import KettleModel
import Testing

/// Reads `docs/protocol.md` as a client and a service would.
struct ProtocolDocumentTests {
  private let lines: [Substring]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
    let path = file.appending(path: "../../docs/protocol.md").standardizedFileURL
    lines = try String(contentsOf: path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The messages of one side, in order.
  private func messages(of side: String) -> [[UInt8]] {
    lines.filter { $0.hasPrefix(side + " ") }.map { Array($0.dropFirst(2).utf8) }
  }

  @Test func `every request in the document is valid, or refused as documented`() throws {
    let replies = ReplyCoder()
    var accepted = 0
    for (index, line) in lines.enumerated() where line.hasPrefix("C ") {
      switch RequestCoder().decode(Array(line.dropFirst(2).utf8)) {
      case .request: accepted += 1
      case .notification: Issue.record("nobody answers \(line)")
      case .refused(let id, let error):
        let answer = try #require(lines.indices.contains(index + 1) ? lines[index + 1] : nil)
        #expect(replies.decode(Array(answer.dropFirst(2).utf8)) == .error(id, error))
      }
    }
    #expect(accepted > 10)
  }

  @Test func `every message in the document decodes`() {
    let all = messages(of: "S")
    #expect(all.count > 10)
    for line in all {
      let reply = ReplyCoder().decode(line)
      #expect(reply != .unreadable && reply != .unknownNotification, "\(text(line))")
    }
  }

  @Test func `the results in the document have the types of their methods`() throws {
    var requests: [RequestID: ControlRequest] = [:]
    var checked: Set<String> = []
    for line in lines {
      let message = Array(line.dropFirst(2).utf8)
      if line.hasPrefix("C "), case .request(let id, let request) = RequestCoder().decode(message) {
        requests[id] = request
      } else if line.hasPrefix("S "),
        case .result(let id, let result) = ReplyCoder().decode(message)
      {
        let request = try #require(requests[id])
        try check(result, against: request)
        checked.insert(request.method)
      }
    }
    #expect(checked.count == 48)
  }

  private func check(_ result: UnreadResult, against request: ControlRequest) throws {
    switch request {
    case .hello: _ = try result.decode(Hello.Result.self)
    case .add: _ = try result.decode(AddTransfers.Result.self)
    case .addURLs: _ = try result.decode(AddURLs.Result.self)
    case .list: _ = try result.decode(ListTransfers.Result.self)
    case .listIDs: _ = try result.decode(ListIDs.Result.self)
    case .describe: _ = try result.decode(DescribeTransfer.Result.self)
    case .control: _ = try result.decode(ControlTransfers.Result.self)
    case .relink: _ = try result.decode(RelinkTransfer.Result.self)
    case .begin: _ = try result.decode(BeginTransfer.Result.self)
    case .find: _ = try result.decode(FindTransfer.Result.self)
    case .limit: _ = try result.decode(LimitSpeed.Result.self)
    case .move: _ = try result.decode(MoveTransfers.Result.self)
    case .prioritize: _ = try result.decode(PrioritizeTransfers.Result.self)
    case .assign: _ = try result.decode(AssignTransfers.Result.self)
    case .listQueues: _ = try result.decode(ListQueues.Result.self)
    case .verify: _ = try result.decode(VerifyTransfers.Result.self)
    case .syncCollection: _ = try result.decode(SyncCollection.Result.self)
    case .compareCollection: _ = try result.decode(CompareCollection.Result.self)
    case .chooseMembers: _ = try result.decode(Nothing.self)
    case .listMembers: _ = try result.decode(ListMembers.Result.self)
    case .follow: _ = try result.decode(FollowTransfer.Result.self)
    case .findURLs: _ = try result.decode(FindURLs.Result.self)
    case .clear: _ = try result.decode(ClearFinished.Result.self)
    case .news: _ = try result.decode(ReportNews.Result.self)
    case .sum: _ = try result.decode(SumFinished.Result.self)
    case .reset: _ = try result.decode(ResetTransfers.Result.self)
    case .listHosts: _ = try result.decode(ListHosts.Result.self)
    case .resetHost: _ = try result.decode(ResetHost.Result.self)
    case .forgetHost: _ = try result.decode(ForgetHost.Result.self)
    case .listBin: _ = try result.decode(ListBin.Result.self)
    case .undo: _ = try result.decode(UndoAction.Result.self)
    case .emptyBin: _ = try result.decode(EmptyBin.Result.self)
    case .subscribe, .watch, .stop: _ = try result.decode(Nothing.self)
    case .reload: _ = try result.decode(ReloadConfiguration.Result.self)
    case .describeRPC: _ = try result.decode(DescribeRPC.Result.self)
    case .status: _ = try result.decode(ServiceStatus.Result.self)
    case .attachSession: _ = try result.decode(AttachSession.Result.self)
    case .listSessions: _ = try result.decode(ListSessions.Result.self)
    case .finishEvents, .updateTask: _ = try result.decode(Nothing.self)
    case .adoptSession, .dropSession: _ = try result.decode(AdoptSession.Result.self)
    case .cancelTasks, .answerChallenge: _ = try result.decode(ControlTransfers.Result.self)
    case .acknowledgeTasks: _ = try result.decode(AcknowledgeTasks.Result.self)
    case .fleet: _ = try result.decode(ManageFleet.Result.self)
    }
  }

  @Test func `every error code and event is named`() {
    let document = lines.joined(separator: "\n")
    for code in ControlError.Code.allCases {
      #expect(document.contains("| \(code.rawValue) | `\(code)` |"), "\(code)")
    }
    for kind in TransferEvent.Kind.allCases { #expect(document.contains("`\(kind.rawValue)`")) }
    for key in RowSort.Key.allCases { #expect(document.contains("`\(key.rawValue)`")) }
    for scope in RowFilter.Scope.allCases { #expect(document.contains("`\(scope.rawValue)`")) }
    for way in QueueMove.allCases { #expect(document.contains("`\(way.rawValue)`")) }
    for verb in ControlVerb.allCases { #expect(document.contains("`\(verb.rawValue)`")) }
    for condition in TransferCondition.allCases {
      #expect(document.contains("`\(condition.rawValue)`"))
    }
  }
}
