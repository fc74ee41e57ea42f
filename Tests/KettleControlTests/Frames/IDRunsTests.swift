import FoundationEssentials
import KettleControl
import KettleModel
import Testing

struct IDRunsTests {
  private func ids(_ numbers: [Int64]) -> [TransferID] { numbers.map { TransferID(rawValue: $0) } }

  private func decode(_ json: String) throws -> IDRuns {
    try JSONDecoder().decode(IDRuns.self, from: Data(json.utf8))
  }

  @Test(
    arguments: [
      ([], "[]"), ([7], "[[7,1]]"), ([17, 18, 19, 21], "[[17,3],[21,1]]"),
      ([3, 2, 1], "[[3,1],[2,1],[1,1]]"), ([.max - 2, .max - 1], "[[9223372036854775805,2]]"),
      ([5, 5], "[[5,1],[5,1]]"),
    ] as [([Int64], String)])
  func `consecutive ids are written as one run`(numbers: [Int64], json: String) throws {
    let runs = IDRuns(ids(numbers))
    #expect(runs.count == numbers.count)
    #expect(runs.ids.elementsEqual(ids(numbers)))
    #expect(String(decoding: try JSONEncoder().encode(runs), as: UTF8.self) == json)
  }

  @Test func `runs survive a round trip`() throws {
    let runs = IDRuns(ids([17, 18, 19, 21, -4]))
    let json = String(decoding: try JSONEncoder().encode(runs), as: UTF8.self)
    #expect(try decode(json) == runs)
    #expect(try decode("[]").ids.isEmpty)
  }

  @Test(arguments: [
    "[[1,0]]", "[[1,-1]]", "[[1]]", "[[]]", "[[1,1,1]]", "[1]", "{}", "[[1,1.5]]",
    "[[9223372036854775807,1]]", "[[1,16777217]]", "[[1,16777216],[20000000,1]]",
    "[[1,9223372036854775807]]",
  ])
  func `an implausible count is refused before memory is allocated`(json: String) {
    #expect(throws: DecodingError.self) { try decode(json) }
  }

  @Test func `the largest plausible count is accepted`() throws {
    #expect(try decode("[[1,16777216]]").count == IDRuns.countMax)
  }
}
