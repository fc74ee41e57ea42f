import Testing

@testable import KettleModel

struct CopiedOnWriteTests {
  private struct Owner: Sendable {
    @CopiedOnWrite var numbers = [1, 2]

    func shares(with other: Owner) -> Bool { _numbers.isSameCopy(as: other._numbers) }
  }

  @Test func `copies share the value until one of them changes it`() {
    let first = Owner()
    var second = first
    #expect(second.shares(with: first))
    second.numbers.append(3)
    #expect(first.numbers == [1, 2])
    #expect(second.numbers == [1, 2, 3])
    #expect(!second.shares(with: first))
  }

  @Test func `replacing the value of a copy leaves the other one`() {
    let first = Owner()
    var second = first
    second.numbers = []
    #expect(first.numbers == [1, 2])
    #expect(second.numbers == [])
  }

  private struct Holder: Sendable, Hashable {
    @RarelySet var numbers: [Int]?
  }

  @Test func `a value that is rarely set is copied when one of its owners changes it`() {
    let first = Holder(numbers: [1])
    var second = first
    second.numbers?.append(2)
    #expect(first.numbers == [1])
    #expect(second.numbers == [1, 2])
    second.numbers?.removeLast()
    #expect(second == first)
    second.numbers = nil
    #expect(first.numbers == [1])
    #expect(second == Holder(numbers: nil))
    second.numbers?.append(3)
    #expect(second.numbers == nil)
  }

  @Test func `a change that throws is kept up to the error`() {
    struct Stop: Error {}
    func change(_ numbers: inout [Int]?) throws {
      numbers = [7]
      throw Stop()
    }
    var holder = Holder(numbers: nil)
    #expect(throws: Stop.self) { try change(&holder.numbers) }
    #expect(holder.numbers == [7])
  }
}
