import KettleModel
import Testing

struct PercentEncodingTests {
  @Test func `every byte survives encoding and decoding`() {
    for byte in UInt8.min...UInt8.max {
      #expect(PercentEncoding.decoded(PercentEncoding.escape(byte)) == [byte])
    }
  }

  @Test(arguments: ["%", "%4", "%4g", "a%", "%%41"])
  func `a malformed escape is rejected or kept`(_ text: String) {
    #expect(PercentEncoding.decoded(text.utf8) == nil)
    let lenient = text == "%%41" ? "%A" : text
    #expect(PercentEncoding.decodedLeniently(text.utf8) == Array(lenient.utf8))
  }
}
