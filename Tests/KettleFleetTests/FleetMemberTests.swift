import KettleModel
import Testing

@testable import KettleFleet

/// Single decisions of a host.
struct FleetMemberTests {
  private let settings = FleetSettings(
    database: "", name: "a", secret: "", labels: [], take: 5, roots: ["/srv"])
  private let host = FleetHostKey(host: FleetHostID(rawValue: 1), start: 1)
  private let key = ClaimKey(id: FleetTransferID(rawValue: 7), epoch: 1)
  private let share = ShareKey(origin: "https://a.example", slot: 0)
  private let start = MonotonicTime(milliseconds: 1000)

  /// A host that downloads one claimed transfer.
  private func working() throws -> FleetMember {
    var member = FleetMember(settings, version: "", at: start)
    let membership = FleetMembership(
      key: host, fleet: "f0", leaseMilliseconds: 60_000)
    _ = member.handle(.answered(.join(.success(membership)), sentAt: start), at: start)
    let url = try TransferURL.parse("https://a.example/f").get().url
    let claim = FleetClaim(key: key, share: share, order: FleetOrder(url: url))
    let reply = FleetClaimRequest.Reply(
      claims: [claim], shares: [FleetShareGrant(share: share)])
    _ = member.handle(
      .answered(.claim(asked: 5, .success(reply)), sentAt: start), at: start)
    _ = member.handle(.local(key, .added(TransferID(rawValue: 3))), at: start)
    return member
  }

  private func beat(_ member: inout FleetMember, _ reply: FleetBeat.Reply) -> [FleetAction] {
    member.handle(.answered(.beat(reported: [], .success(reply)), sentAt: start), at: start)
  }

  @Test func `a claim that the table does not confirm is dropped at once`() throws {
    var member = try working()
    let actions = beat(&member, FleetBeat.Reply())
    #expect(actions.contains(.discard(key, TransferID(rawValue: 3))))
    #expect(member.claims.isEmpty)
  }

  @Test func `a user's pause and start reach the host with the next beats`() throws {
    var member = try working()
    let grants = [FleetShareGrant(share: share)]
    func reply(_ wish: FleetBeat.Wish) -> FleetBeat.Reply {
      FleetBeat.Reply(claims: [FleetBeat.Standing(key: key, wish: wish)], shares: grants)
    }
    #expect(beat(&member, reply(.pause)).contains(.pause(TransferID(rawValue: 3))))
    #expect(beat(&member, reply(.pause)).isEmpty)
    #expect(beat(&member, reply(.run)).contains(.start(TransferID(rawValue: 3))))
  }

  @Test func `a host that begins to work asks for its part of the limit at once`() throws {
    var member = try working()
    let limited = FleetBeat.Reply(
      claims: [FleetBeat.Standing(key: key, wish: .run)], shares: [FleetShareGrant(share: share)],
      limitBytesPerSecond: 1000,
      needs: [
        FleetNeed(host: host.host, bytesPerSecond: 0, wantsMore: true),
        FleetNeed(host: FleetHostID(rawValue: 2), bytesPerSecond: 900, wantsMore: true),
      ])
    guard case .beat(let beat)? = member.nextCall(at: start) else {
      Issue.record("no beat")
      return
    }
    #expect(beat.wantsMore)
    #expect(self.beat(&member, limited).contains(.limit(bytesPerSecond: 500)))
  }

  @Test func `an errand is begun once, and reported until the table has the finding`() throws {
    var member = try working()
    let errand = FileErrand(
      key: ClaimKey(id: FleetTransferID(rawValue: 2), epoch: 4), name: "f", directory: "/srv",
      byteCount: 1, proof: nil)
    let reply = FleetBeat.Reply(
      claims: [FleetBeat.Standing(key: key, wish: .run)], shares: [FleetShareGrant(share: share)],
      errands: [errand])
    #expect(beat(&member, reply).contains(.compare(errand)))
    #expect(!beat(&member, reply).contains(.compare(errand)))
    let finding = FileFinding(
      key: errand.key, check: FileCheck(.intact, at: WallTime(millisecondsSince1970: 1)))
    _ = member.handle(.compared(finding), at: start)
    func sent() -> [FileFinding]? {
      guard case .beat(let beat)? = member.nextCall(at: start) else { return nil }
      return beat.findings
    }
    #expect(sent() == [finding])
    _ = member.handle(
      .answered(.beat(reported: [finding], .failure(.unreachable(""))), sentAt: start), at: start)
    let later = start.advanced(byMilliseconds: 20_000)
    guard case .beat(let again)? = member.nextCall(at: later) else {
      Issue.record("no beat")
      return
    }
    #expect(again.findings == [finding])
    _ = member.handle(
      .answered(.beat(reported: [finding], .success(FleetBeat.Reply())), sentAt: later), at: later)
    #expect(
      member.nextCall(at: later.advanced(byMilliseconds: 30_000)).map { call in
        if case .beat(let beat) = call { beat.findings.isEmpty } else { false }
      } == true)
  }

  @Test func `what was claimed in another fleet is dropped when the host joins`() {
    var member = FleetMember(settings, version: "", at: start)
    let found = [("f0", 1), ("f1", 1), ("f0", 2)].enumerated().map { index, owner in
      RecoveredTransfer(
        owner: ClaimDirectory(
          fleet: owner.0, host: FleetHostID(rawValue: Int64(owner.1)),
          key: ClaimKey(id: FleetTransferID(rawValue: Int64(index)), epoch: 1)),
        local: TransferID(rawValue: Int64(index)), state: .goesOn)
    }
    _ = member.handle(.recovered(found), at: start)
    let membership = FleetMembership(key: host, fleet: "f0", leaseMilliseconds: 60_000)
    let actions = member.handle(
      .answered(.join(.success(membership)), sentAt: start), at: start)
    #expect(
      actions.filter { if case .discard = $0 { true } else { false } }
        == [1, 2].map { .discard(found[$0].key, found[$0].local) })
    #expect(member.claims.keys.map(\.rawValue) == [0])
  }

  /// A host that has joined and asked once, without work.
  private func idle() -> FleetMember {
    var member = FleetMember(settings, version: "", at: start)
    let membership = FleetMembership(key: host, fleet: "f0", leaseMilliseconds: 60_000)
    _ = member.handle(.answered(.join(.success(membership)), sentAt: start), at: start)
    _ = beat(&member, FleetBeat.Reply())
    answerClaim(&member, at: start)
    return member
  }

  private func answerClaim(_ member: inout FleetMember, at now: MonotonicTime) {
    _ = member.handle(
      .answered(.claim(asked: 5, .success(FleetClaimRequest.Reply())), sentAt: now), at: now)
  }

  private func claims(_ member: FleetMember, afterMilliseconds: Int64) -> Bool {
    if case .claim? = member.nextCall(at: start.advanced(byMilliseconds: afterMilliseconds)) {
      true
    } else {
      false
    }
  }

  @Test func `a host that is drained claims nothing, stays, and goes on when it may`() {
    var member = idle()
    _ = member.handle(.workQueued, at: start)
    #expect(claims(member, afterMilliseconds: 0))
    _ = beat(&member, FleetBeat.Reply(hasWork: true, isDraining: true))
    #expect(member.isDraining && member.nextCall(at: start) == nil)
    _ = member.handle(.wakeUp, at: start.advanced(byMilliseconds: 100_000))
    guard case .beat? = member.nextCall(at: start.advanced(byMilliseconds: 100_000)) else {
      Issue.record("it has left")
      return
    }
    _ = beat(&member, FleetBeat.Reply(hasWork: true))
    #expect(!member.isDraining && claims(member, afterMilliseconds: 0))
    // A host that is to leave leaves, also while it rests.
    _ = beat(&member, FleetBeat.Reply(isDraining: true))
    _ = member.handle(.drain, at: start)
    #expect(member.nextCall(at: start) == .leave(host))
  }

  @Test func `work that is queued within a second of a notification is found`() {
    var member = idle()
    _ = member.handle(.workQueued, at: start)
    answerClaim(&member, at: start)
    #expect(!claims(member, afterMilliseconds: 1000))
    #expect(claims(member, afterMilliseconds: 1100))
    answerClaim(&member, at: start.advanced(byMilliseconds: 1100))
    #expect(!claims(member, afterMilliseconds: 15_000))
  }

  @Test func `a superseded host drops everything and asks nothing more`() throws {
    var member = try working()
    let actions = member.handle(
      .answered(.beat(reported: [], .failure(.superseded)), sentAt: start), at: start)
    #expect(actions.contains(.discard(key, TransferID(rawValue: 3))))
    #expect(member.nextCall(at: start.advanced(byMilliseconds: 1_000_000)) == nil)
  }
}
