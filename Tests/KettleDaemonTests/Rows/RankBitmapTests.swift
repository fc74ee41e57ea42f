import SeededNumbers
import Testing

@testable import KettleDaemon

struct RankBitmapTests {
  @Test func `a bitmap agrees with a plain list of indices after any removals`() {
    let seed = UInt64.random(in: .min ... .max)
    print("rank bitmap seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for count in [0, 1, 63, 64, 65, 4095, 4096, 4097, 9000] {
      var bitmap = RankBitmap(count: count)
      var members = Array(0..<count)
      for step in 0..<min(count, 300) {
        let index = Int.random(in: 0..<count, using: &random)
        bitmap.remove(index)
        members.removeAll { $0 == index }
        guard step % 25 == 0 else { continue }
        check(bitmap, members: members, bound: count, seed: seed, &random)
      }
      check(bitmap, members: members, bound: count, seed: seed, &random)
    }
  }

  private func check(
    _ bitmap: RankBitmap, members: [Int], bound: Int, seed: UInt64,
    _ random: inout SeededGenerator
  ) {
    #expect(bitmap.count == members.count, "seed \(seed), \(bound)")
    #expect(bitmap.removedCount == bound - members.count, "seed \(seed), \(bound)")
    for _ in 0..<20 {
      let number = Int.random(in: -1...(bound + 1), using: &random)
      #expect(bitmap.contains(number) == members.contains(number), "seed \(seed), \(bound)")
      #expect(bitmap.rank(of: number) == members.count { $0 < number }, "seed \(seed), \(bound)")
      #expect(
        bitmap.index(atRank: number)
          == (members.indices.contains(number) ? members[number] : nil), "seed \(seed), \(bound)")
      #expect(
        bitmap.first(from: max(0, number)) == members.first { $0 >= max(0, number) },
        "seed \(seed), \(bound)")
    }
  }

  @Test func `empty blocks are skipped`() {
    var bitmap = RankBitmap(count: 10_000)
    for index in 0..<8192 { bitmap.remove(index) }
    #expect(bitmap.index(atRank: 0) == 8192)
    #expect(bitmap.first(from: 3) == 8192)
    #expect(bitmap.rank(of: 8193) == 1)
    for index in 8192..<10_000 { bitmap.remove(index) }
    #expect(bitmap.index(atRank: 0) == nil && bitmap.first(from: 0) == nil && bitmap.count == 0)
  }
}
