import KettleModel
import Testing

struct Base64BytesTests {
  // RFC 4648, section 10
  @Test(
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("ÿ文", "w7/mloc="),
    ])
  func `bytes are encoded and decoded`(text: String, encoded: String) {
    let bytes = Array(text.utf8)
    #expect(Base64Bytes(bytes).text == encoded)
    #expect(Base64Bytes(encoded)?.bytes == bytes)
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zg==Zg==", "Zg=v", "Zm-v",
  ])
  func `text that is not canonical Base64 is rejected`(_ text: String) {
    #expect(Base64Bytes(text) == nil)
  }

  @Test func `every byte becomes two hexadecimal digits`() {
    #expect([UInt8]().hexadecimal == "")
    #expect([UInt8](arrayLiteral: 0, 10, 127, 255).hexadecimal == "000a7fff")
  }
}
