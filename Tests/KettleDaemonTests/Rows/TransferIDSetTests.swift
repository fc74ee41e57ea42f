import KettleModel
import SeededNumbers
import Testing

@testable import KettleDaemon

struct TransferIDSetTests {
  @Test func `the set agrees with a plain set`() {
    let seed = UInt64.random(in: .min ... .max)
    print("id set seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var ids = TransferIDSet()
    var plain: Set<Int64> = []
    let ends: [Int64] = [.min, .max, -1, 0, 63, 64]
    for _ in 0..<2000 {
      let number =
        Bool.random(using: &random)
        ? Int64.random(in: -130...130, using: &random)
        : ends.randomElement(using: &random) ?? 0
      let id = TransferID(rawValue: number)
      if Bool.random(using: &random) {
        ids.insert(id)
        plain.insert(number)
      } else {
        #expect(ids.remove(id) == (plain.remove(number) != nil), "seed \(seed)")
      }
      let other = Int64.random(in: -130...130, using: &random)
      #expect(
        ids.contains(TransferID(rawValue: other)) == plain.contains(other), "seed \(seed)")
    }
  }
}
