import KettleModel
import Testing

@testable import KettleScheduler

/// What the members of a collection report to it.
struct CollectionMembersTests {
  private static let collection = TransferID(rawValue: 900)

  private func isReported(in actions: [TransferAction]) -> Bool {
    actions.contains { if case .addMembers(Self.collection) = $0 { true } else { false } }
  }

  @Test func `a member that ends or is started again is reported before the commit`() throws {
    var script = SchedulerScript()
    var member = spec("https://example.org/a")
    member.options.member = MemberRole(
      collection: Self.collection, number: 0, path: try #require(MemberPath(foreign: "a")))
    let id = script.add(member)
    script.head(try #require(script.attempt), 404)
    script.settledAll()
    #expect(script.state(id) == .failed)
    #expect(isReported(in: script.actions))
    // What was read of the members before the commit says that all have ended.
    let (_, output) = script.scheduler.control(.start, [id], at: script.now)
    #expect(isReported(in: output.now))
    #expect(!output.changes.isEmpty)
  }
}
