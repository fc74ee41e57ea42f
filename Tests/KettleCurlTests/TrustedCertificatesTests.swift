import Testing

@testable import KettleCurl

struct TrustedCertificatesTests {
  @Test func `curl's bundle takes precedence`() {
    #expect(
      TrustedCertificates(environment: ["CURL_CA_BUNDLE": "/a", "SSL_CERT_FILE": "/b"])
        == TrustedCertificates(file: "/a", directory: nil))
  }

  @Test func `OpenSSL's file and directory take precedence over the machine's`() {
    #expect(
      TrustedCertificates(environment: ["SSL_CERT_FILE": "/b", "SSL_CERT_DIR": "/c"])
        == TrustedCertificates(file: "/b", directory: "/c"))
    #expect(
      TrustedCertificates(environment: ["CURL_CA_BUNDLE": "", "SSL_CERT_DIR": "/c"])
        == TrustedCertificates(file: nil, directory: "/c"))
  }

  @Test func `the first existing bundle is used`() {
    let suse = TrustedCertificates.ofMachine(
      builtInFile: "/etc/ssl/certs/ca-certificates.crt", builtInDirectory: "/etc/ssl/certs",
      isReadable: { $0 == "/etc/ssl/ca-bundle.pem" })
    #expect(suse == TrustedCertificates(file: "/etc/ssl/ca-bundle.pem", directory: nil))
    let builtIn = TrustedCertificates.ofMachine(
      builtInFile: "/opt/ca.pem", builtInDirectory: "/opt/ca", isReadable: { _ in true })
    #expect(builtIn == TrustedCertificates(file: "/opt/ca.pem", directory: nil))
  }

  @Test(arguments: [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
    "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ssl/cert.pem",
  ])
  func `the bundle of any distribution is found`(file: String) {
    let found = TrustedCertificates.ofMachine(
      builtInFile: nil, builtInDirectory: nil, isReadable: { $0 == file })
    #expect(found == TrustedCertificates(file: file, directory: nil))
  }

  @Test func `without a bundle the directory is used`() {
    let only = TrustedCertificates.ofMachine(
      builtInFile: nil, builtInDirectory: nil, isReadable: { _ in false })
    #expect(only == TrustedCertificates(file: nil, directory: "/etc/ssl/certs"))
  }
}
