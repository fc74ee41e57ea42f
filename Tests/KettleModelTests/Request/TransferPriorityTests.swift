import Foundation
import Testing

@testable import KettleModel

struct TransferPriorityTests {
  @Test func `the names have Apple's values and order`() {
    #expect([TransferPriority.low, .normal, .high].map(\.value) == [0.25, 0.5, 0.75])
    #expect(TransferPriority.low < .normal)
    #expect(TransferPriority.normal < .high)
    #expect(TransferPriority(0.5) == .normal)
  }

  @Test func `a priority is from 0 to 1`() {
    #expect(TransferPriority(0)?.value == 0)
    #expect(TransferPriority(1)?.value == 1)
    for value in [-0.001, 1.001, .nan, .infinity, -.infinity] as [Double] {
      #expect(TransferPriority(value) == nil)
    }
  }

  @Test func `decoding rejects an invalid value`() throws {
    let data = try JSONEncoder().encode(TransferPriority.high)
    #expect(try JSONDecoder().decode(TransferPriority.self, from: data) == .high)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(TransferPriority.self, from: Data(#"{"value": 7}"#.utf8))
    }
  }
}
