import Testing

@testable import KettleRPC

struct XMLValuesTests {
  private func call(_ params: String) throws -> [RPCValue] {
    let text = """
      <?xml version='1.0'?>
      <methodCall><methodName> aria2.addUri </methodName><params>\(params)</params></methodCall>
      """
    let (method, params) = try XMLValues.call(Array(text.utf8))
    #expect(method == "aria2.addUri")
    return params
  }

  @Test func `every kind of value is read`() throws {
    let params = try call(
      """
      <param><value><string>a &amp; b</string></value></param>
      <param><value>plain</value></param>
      <param><value><int>-7</int></value></param>
      <param><value><i8>9000000000</i8></value></param>
      <param><value><boolean>1</boolean></value></param>
      <param><value><double>0.5</double></value></param>
      <param><value><nil/></value></param>
      <param><value><array><data> <value>x</value> <value><int>1</int></value> </data></array>
      </value></param>
      <param><value><struct><member><name>k</name><value>v</value></member></struct></value></param>
      """)
    #expect(
      params == [
        "a & b", "plain", .integer(-7), .integer(9_000_000_000), .boolean(true), .real(0.5), .null,
        ["x", .integer(1)], ["k": "v"],
      ])
  }

  @Test func `a call without parameters has none`() throws {
    let text = "<methodCall><methodName>m</methodName></methodCall>"
    #expect(try XMLValues.call(Array(text.utf8)).params == [])
  }

  @Test(arguments: [
    "", "<methodCall/>", "<methodCall><methodName>m</methodName>",
    "<methodCall><methodName>m</methodName><params><value/></params></methodCall>",
    "<!DOCTYPE a><methodCall/>", "<a/>",
    "<methodCall><methodName>m</methodName><params><param><value><int>x</int></value></param>"
      + "</params></methodCall>",
    "<methodCall><methodName>m</methodName><params><param><value><who/></value></param>"
      + "</params></methodCall>",
  ])
  func `anything else is refused`(text: String) {
    #expect(throws: XMLValues.Problem.malformed) { try XMLValues.call(Array(text.utf8)) }
  }

  @Test func `results and faults are written`() {
    let result = XMLValues.response(
      .success(["a": [.integer(1), "<&>\u{0}"], "b": .boolean(true), "c": .integer(1 << 40)]))
    #expect(
      String(decoding: result, as: UTF8.self)
        == "<?xml version=\"1.0\"?><methodResponse><params><param><value><struct>"
        + "<member><name>a</name><value><array><data><value><int>1</int></value>"
        + "<value><string>&lt;&amp;&gt;\u{FFFD}</string></value></data></array></value></member>"
        + "<member><name>b</name><value><boolean>1</boolean></value></member>"
        + "<member><name>c</name><value><i8>1099511627776</i8></value></member>"
        + "</struct></value></param></params></methodResponse>")
    let fault = String(
      decoding: XMLValues.response(.failure(.unauthorized)), as: UTF8.self)
    #expect(fault.contains("<name>faultCode</name><value><int>1</int></value>"))
    #expect(fault.contains("<value><string>Unauthorized</string></value>"))
  }
}
