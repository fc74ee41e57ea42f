import Foundation
import KettleModel
import Testing

struct EncodedInOrderTests {
  private func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test func `keys are encoded in ascending order regardless of the order of the set`() throws {
    var credential = OriginCredential(origin: "https://files.example")
    credential.trustedKeys = Set((10...40).map { "key\($0)" })
    let keys = (10...40).map { "\"key\($0)\"" }.joined(separator: ",")
    #expect(
      try text(credential) == #"{"origin":"https:\/\/files.example","trustedKeys":[\#(keys)]}"#)
  }

  @Test func `conditions are encoded in the order of their names and decoded again`() throws {
    var options = TaskOptions(kind: .download)
    options.conditions = Set(TransferCondition.allCases)
    let text = try text(options)
    #expect(
      text
        == #"{"conditions":["mainsPower","unmeteredNetwork"],"credentials":[],"kind":"download"}"#)
    #expect(try JSONDecoder().decode(TaskOptions.self, from: Data(text.utf8)) == options)
  }
}
