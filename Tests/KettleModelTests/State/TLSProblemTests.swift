import KettleModel
import Testing

/// The advice after a refused TLS handshake depends on its cause.
struct TLSProblemTests {
  @Test(
    arguments: [
      ("SSL certificate problem: unable to get local issuer certificate", .unknownAuthority),
      ("SSL certificate problem: self-signed certificate", .unknownAuthority),
      ("self signed certificate in certificate chain", .unknownAuthority),
      ("unable to verify the first certificate", .unknownAuthority),
      ("SSL certificate problem: certificate has expired", .expired),
      ("certificate is not yet valid", .notYetValid),
      (
        "SSL: no alternative certificate subject name matches target host name 'localhost'",
        .otherName
      ),
      ("hostname mismatch", .otherName), ("IP address mismatch", .otherName),
      ("error:0A00010B:SSL routines::wrong version number", .notTLS),
      ("error:0A00009C:SSL routines::http request", .notTLS),
      ("error:0A0000C6:SSL routines::packet length too long", .notTLS),
      ("its host key SHA256:x is not the one in known_hosts", .otherHostKey),
      ("the server offers no TLS", .noTLS),
      (
        "the server demands TLS and does not begin it with AUTH TLS: 530 Use TLS", .demandedTLS
      ),
      ("TLS connect error: error:0A000102:SSL routines::unsupported protocol", .oldVersion),
      ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .oldVersion),
      ("its certificate has not been approved yet", .other), (nil, .other),
    ] as [(String?, TLSProblem)])
  func `the message shows the cause`(detail: String?, problem: TLSProblem) {
    #expect(TLSProblem(detail: detail) == problem)
    let failure = TransferFailure(.tlsRefused, on: "h", detail: detail)
    #expect(failure.sentence.hasSuffix("; " + problem.remedy))
  }

  @Test func `only an authority that is not known is remedied by giving one`() {
    let remedies = TLSProblem.allCases.filter { $0.remedy.contains("--ca-certificate") }
    #expect(remedies == [.unknownAuthority, .demandedTLS])
  }
}
