import Glibc
import Testing

@testable import KettleCurl

struct NameLookupTests {
  @Test(arguments: [
    (EAI_NONAME, NameLookup.Answer.unknown), (NameLookup.noData, .unknown),
    (NameLookup.noAddressOfFamily, .unknown), (EAI_AGAIN, .temporary), (EAI_FAIL, .temporary),
    (EAI_SYSTEM, .temporary), (EAI_MEMORY, .temporary), (0, .temporary),
  ])
  func `only a name that certainly has no address is unknown`(
    code: Int32, answer: NameLookup.Answer
  ) {
    #expect(NameLookup.meaning(of: code) == answer)
  }

  @Test func `every question about one name is answered once`() async {
    let names = NameLookup()
    let (answers, continuation) = AsyncStream<NameLookup.Answer>.makeStream()
    for _ in 1...10 { names.ask(about: "nothing.invalid") { continuation.yield($0) } }
    var count = 0
    for await answer in answers {
      #expect(answer == .unknown)
      count += 1
      if count == 10 { break }
    }
  }

  @Test func `a name that has an address is not unknown`() async {
    let names = NameLookup()
    let answer = await withCheckedContinuation { done in
      names.ask(about: "localhost") { done.resume(returning: $0) }
    }
    #expect(answer == .temporary)
  }
}
