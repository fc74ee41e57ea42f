import KettleModel
import Testing

@testable import KettleCurl

struct AddressGuardTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test(arguments: NetworkReach.allCases)
  func `an address is allowed if its reach is at least the minimum`(minimum: NetworkReach) throws {
    for (text, reach) in [
      ("127.0.0.1", NetworkReach.machine), ("0.0.0.0", .machine), ("::1", .machine),
      ("10.0.0.1", .network), ("fe80::1", .network), ("224.0.0.1", .network),
      ("8.8.8.8", .world), ("2606:4700::1", .world),
    ] {
      var addressGuard = AddressGuard(minimumReach: minimum)
      let isAllowed = addressGuard.allows(try address(text))
      #expect(isAllowed == (reach >= minimum), "\(text)")
      #expect((addressGuard.refusal == nil) == (reach >= minimum), "\(text)")
    }
  }

  @Test func `the first refused address is reported if none was allowed`() throws {
    var addressGuard = AddressGuard(minimumReach: .world)
    let inner = [try address("10.0.0.1"), try address("127.0.0.1")]
    let refusals = inner.map { addressGuard.allows($0) }
    #expect(refusals == [false, false])
    #expect(
      addressGuard.refusal == .init(address: inner[0], scope: .privateUse))
    let isAllowed = addressGuard.allows(try address("8.8.8.8"))
    #expect(isAllowed)
    #expect(addressGuard.refusal == nil)
    let isRefused = !addressGuard.allows(inner[0])
    #expect(isRefused)
    #expect(addressGuard.refusal == nil)
  }
}
