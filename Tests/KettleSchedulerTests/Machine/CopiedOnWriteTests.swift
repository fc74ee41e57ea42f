import Testing

@testable import KettleScheduler

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
}
