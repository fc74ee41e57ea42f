import SeededNumbers
import Testing

@testable import KettleDaemon

struct RankBitmapTests {
  @Test func `any removals leave what a plain list of the places gives`() {
    let seed = UInt64.random(in: .min ... .max)
    print("live places seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for count in [0, 1, 63, 64, 65, 4095, 4096, 4097, 9000] {
      var places = RankBitmap(count: count)
      var plain = Array(0..<count)
      for step in 0..<min(count, 300) {
        let place = Int.random(in: 0..<count, using: &random)
        places.remove(place)
        plain.removeAll { $0 == place }
        guard step % 25 == 0 else { continue }
        check(places, plain, of: count, seed, &random)
      }
      check(places, plain, of: count, seed, &random)
    }
  }

  private func check(
    _ places: RankBitmap, _ plain: [Int], of count: Int, _ seed: UInt64,
    _ random: inout SeededGenerator
  ) {
    #expect(places.count == plain.count, "seed \(seed), \(count)")
    #expect(places.removedCount == count - plain.count, "seed \(seed), \(count)")
    for _ in 0..<20 {
      let place = Int.random(in: -1...(count + 1), using: &random)
      #expect(places.contains(place) == plain.contains(place), "seed \(seed), \(count)")
      #expect(
        places.count(before: place) == plain.count { $0 < place }, "seed \(seed), \(count)")
      let isInside = plain.indices.contains(place)
      #expect(places.place(at: place) == (isInside ? plain[place] : nil), "seed \(seed), \(count)")
      #expect(
        places.place(from: max(0, place)) == plain.first { $0 >= max(0, place) },
        "seed \(seed), \(count)")
    }
  }

  @Test func `a block of which nothing is left is passed over`() {
    var places = RankBitmap(count: 10_000)
    for place in 0..<8192 { places.remove(place) }
    #expect(places.place(at: 0) == 8192)
    #expect(places.place(from: 3) == 8192)
    #expect(places.count(before: 8193) == 1)
    for place in 8192..<10_000 { places.remove(place) }
    #expect(places.place(at: 0) == nil && places.place(from: 0) == nil && places.count == 0)
  }
}
