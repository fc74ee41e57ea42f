import KettleModel
import Testing

struct HeldBackWordsTests {
  @Test(arguments: [
    (WaitingReason.retry, "retrying"), (.retryAfter, "retrying"), (.network, "no network"),
    (.hostUnreachable, "host down"), (.proxy, "proxy"), (.diskSpace, "disk full"),
    (.discretionary, "deferred"), (.needsLink, "needs link"), (.needsLogin, "needs login"),
    (.needsDecision, "needs decision"),
  ])
  func `a list has one or two words for what a transfer waits for`(
    reason: WaitingReason, state: String
  ) {
    #expect(HeldBackWords(reason).state == state)
  }

  @Test(arguments: WaitingReason.allCases)
  func `every reason to wait is a cause with words`(_ reason: WaitingReason) {
    #expect(HeldBack.Cause(reason).reason == reason)
    let words = HeldBackWords(reason)
    #expect(!words.forms.isEmpty && !words.clause.isEmpty)
    #expect(words.remedy != nil || !reason.needsUser)
  }

  private let row = TransferSnapshot(
    id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "a",
    url: "http://h/", state: .queued, createdAt: WallTime(millisecondsSince1970: 0))

  @Test func `a speed limit is a cause, with whose it is`() {
    var heldBack = HeldBack(.totalLimit)
    heldBack.bytesPerSecond = 3 << 19
    let words = HeldBackWords(heldBack, of: row)
    #expect(words.clause == "it is slowed by your limit of 1.5 MiB/s for everything")
    #expect(words.remedy == "lift it with \"kettle limit none\"")
    heldBack.cause = .ownLimit
    #expect(HeldBackWords(heldBack, of: row).clause == "it is slowed by its limit of 1.5 MiB/s")
  }

  @Test func `the words of a limit count what is in use`() {
    var heldBack = HeldBack(.slot)
    #expect(HeldBackWords(heldBack, of: row).forms == ["slots full"])
    (heldBack.used, heldBack.allowed) = (3, 4)
    #expect(HeldBackWords(heldBack, of: row).forms == ["slots full 3/4", "slots full"])
    heldBack.cause = .connectionLimit
    #expect(
      HeldBackWords(heldBack, of: row).forms
        == ["connections full 3/4", "connections full", "full 3/4", "full"])
  }
}
