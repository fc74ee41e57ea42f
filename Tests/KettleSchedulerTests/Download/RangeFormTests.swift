import KettleModel
import Testing

@testable import KettleScheduler

/// What is requested of a server that does not keep to the end of a range.
struct RangeFormTests {
  private let bounded = RequestedRange(lower: 10, upper: 20, proof: .ifRange("\"v1\""))
  private let open = RequestedRange(lower: 10, upper: nil, proof: .ifRange("\"v1\""))

  // Fault 200
  @Test func `after a wrong reply to a bounded range the rest is requested`() {
    var form = RangeForm.untried
    #expect(form.formed(bounded) == bounded)
    form.recordWrongReply(to: bounded)
    #expect(form.formed(bounded) == open)
    #expect(!form.permitsParts)
    // Other connections have requested theirs before.
    for _ in 0..<3 { form.recordWrongReply(to: bounded) }
    #expect(form.formed(bounded) == open)
    form.recordWrongReply(to: open)
    form.recordRightReply()
    form.recordWrongReply(to: open)
    #expect(form.formed(bounded) == open)
    form.recordWrongReply(to: open)
    #expect(form.formed(bounded) == nil)
  }

  @Test func `after two wrong replies to the rest nothing is requested in parts`() {
    var form = RangeForm.untried
    form.recordWrongReply(to: open)
    #expect(form.formed(open) == open && form.permitsParts)
    form.recordRightReply()
    #expect(form == .untried)
    form.recordWrongReply(to: open)
    form.recordWrongReply(to: open)
    #expect(form.formed(open) == nil)
  }
}
