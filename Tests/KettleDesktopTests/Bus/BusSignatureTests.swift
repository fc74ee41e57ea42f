import Testing

@testable import KettleDesktop

struct BusSignatureTests {
  @Test func `the types of a notification are parsed and written`() {
    let types = BusSignature.parse("susssasa{sv}i")
    #expect(
      types == [
        .string, .uint32, .string, .string, .string, .array(.string),
        .array(.entry(.string, .variant)), .int32,
      ])
    #expect(types?.map(\.text).joined() == "susssasa{sv}i")
  }

  @Test(arguments: ["", "ybnqiuxtdsogh", "a(ii)", "aaay", "a{s(iv)}", "((i)(v))"])
  func `a signature survives a round trip`(text: String) {
    #expect(BusSignature.parse(text)?.map(\.text).joined() == text)
  }

  @Test(
    arguments: [
      "a", "(", ")", "()", "(i", "{sv}", "a{sv", "a{s}", "a{vs}", "a{svv}", "z", "i)", "a{}", "a(",
      "ä", "\0",
    ])
  func `invalid signatures are refused`(text: String) {
    #expect(BusSignature.parse(text) == nil)
  }

  @Test func `depth and length are bounded`() {
    func arrays(_ count: Int) -> String { String(repeating: "a", count: count) + "y" }
    func structures(_ count: Int) -> String {
      String(repeating: "(", count: count) + "y" + String(repeating: ")", count: count)
    }
    #expect(BusSignature.parse(arrays(32)) != nil)
    #expect(BusSignature.parse(arrays(33)) == nil)
    #expect(BusSignature.parse(structures(32)) != nil)
    #expect(BusSignature.parse(structures(33)) == nil)
    #expect(BusSignature.parse(String(repeating: "y", count: 255))?.count == 255)
    #expect(BusSignature.parse(String(repeating: "y", count: 256)) == nil)
  }
}
