output "vpc_id" {
  description = "Id of the network"
  value       = aws_vpc.this.id
}

output "secret" {
  value     = var.password
  sensitive = true
}

output "version" {
  value = "1.0.0"
}
