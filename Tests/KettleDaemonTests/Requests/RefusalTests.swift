import KettleControl
import KettleModel
import Testing

@testable import KettleDaemon

struct RefusalTests {
  @Test func `an invalid file name is refused by its index, as in the decoder`() throws {
    let url = try TransferURL.parse("https://example.org/a").get().url
    var good = TransferSpec(url: url)
    good.name = "a.iso"
    var bad = TransferSpec(url: url)
    bad.name = "a\u{1B}[2J"
    #expect(RequestHandler.refusal(of: .init(transfers: [good])) == nil)
    #expect(
      RequestHandler.refusal(of: .init(transfers: [good, bad]))
        == ControlError(.refusedSpec, "params.transfers[1].name"))
  }
}
